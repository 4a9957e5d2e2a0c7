// The columns of a bundle: each event's line under its salt, its commitments and the chain.
(function (own) {
  "use strict";

  const { Wrong, need, equal, hex, uuid, utf8 } = own;
  const { parseCanonical, canonical, isNewer, ofBody, ofObservation, observationOf } = own;
  const HASH = 32;
  const SAME = utf8("=");
  const TOGETHER = 16; // events whose digests are asked for at once
  const MOST_EVENTS = 1_000_000;

  /** "full", "public" or the number of a seat. Throws Wrong. */
  function viewerIn(perspective, seats) {
    if (perspective === "full" || perspective === "public") return perspective;
    const found = typeof perspective === "string" && /^seat:(0|[1-9][0-9]*)$/.exec(perspective);
    const seat = found ? Number(found[1]) : seats;
    need(seat < seats, "manifest", "has a perspective there is not", "manifest.json");
    return seat;
  }

  function linesOf(bytes) {
    const lines = [];
    let start = 0;
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
      lines.push(bytes.subarray(start, end));
      start = end + 1;
    }
    return { lines, rest: bytes.length - start };
  }

  const slice = (column, place, size) => column.subarray(place * size, (place + 1) * size);

  /** What all events of one bundle share. */
  class Columns {
    constructor(members, viewer, seats) {
      const { lines, rest } = linesOf(members.get("events.ndjson"));
      this.viewer = viewer;
      this.seats = seats;
      this.lines = lines;
      this.rest = rest;
      this.salts = members.get("salts.bin");
      this.facets = members.get("facets.bin");
      this.heads = members.get("heads.bin");
      this.width = { salt: typeof viewer === "number" ? 64 : 32, facets: HASH * (seats + 2) };
    }

    get count() {
      const { salt, facets } = this.width;
      const sizes = [
        this.salts.length / salt,
        this.facets.length / facets,
        this.heads.length / HASH,
      ];
      return Math.ceil(Math.max(this.lines.length, ...sizes));
    }

    row(version) {
      const place = version - 1;
      return {
        version,
        line: this.lines[place],
        salt: slice(this.salts, place, this.width.salt),
        facets: slice(this.facets, place, this.width.facets),
        hash: slice(this.heads, place, HASH),
      };
    }

    needWhole({ line, salt, facets, hash }) {
      const whole = line !== undefined && salt.length === this.width.salt;
      const sound = whole && facets.length === this.width.facets && hash.length === HASH;
      need(sound, "columns", "is not in every column");
    }
  }

  function parsed(columns, row) {
    const value = parseCanonical(row.line);
    if (row.version > 1 && isNewer(value) && value.version === row.version)
      return { value, event: null };
    const read = columns.viewer === "full" ? ofBody : ofObservation;
    return { value, event: read(value, row.version, columns.seats) };
  }

  const commits = async (id, row, salt, index, facet) =>
    equal(
      await own.commitment(salt, id, row.version, index, facet),
      slice(row.facets, index, HASH),
    );

  async function checkFull(columns, id, row, value) {
    const last = columns.seats + 1;
    const salt = await own.facetSalt(row.salt, last);
    need(await commits(id, row, salt, last, row.line), "facets", "is not what was committed to");
    // Of what hides nothing everybody sees the same, and that without any rules.
    const shown = value && observationOf(value);
    if (shown === null) return;
    const facet = canonical(shown);
    const holds = Array.from({ length: last }, async (_, index) =>
      commits(id, row, await own.facetSalt(row.salt, index), index, index === 0 ? facet : SAME),
    );
    need((await Promise.all(holds)).every(Boolean), "facets", "was shown to somebody otherwise");
  }

  async function checkShown(columns, id, row) {
    const { viewer } = columns;
    const message = "is not what was committed to";
    if (viewer === "public") {
      need(await commits(id, row, row.salt, 0, row.line), "facets", message);
      return;
    }
    const first = row.salt.subarray(0, 32),
      second = row.salt.subarray(32);
    const isOwn = first.every((byte) => byte === 0);
    const sound = isOwn
      ? await commits(id, row, second, viewer + 1, row.line)
      : (await commits(id, row, second, viewer + 1, SAME)) &&
        (await commits(id, row, first, 0, row.line));
    need(sound, "facets", message);
  }

  async function checkRow(columns, id, row, before) {
    columns.needWhole(row);
    const { value, event } = parsed(columns, row);
    if (columns.viewer === "full") await checkFull(columns, id, row, event && value);
    else await checkShown(columns, id, row);
    const made = await own.link(before, row.version, row.facets);
    need(equal(made, row.hash), "chain", "does not continue the chain");
    return event;
  }

  /**
   * All events with their columns checked, as far as they hold: {events, heads, fault, limit}, where
   * the fault is of the first event that does not. `events` end before `limit`, the first one of a
   * newer release, or null. `progress` is told how many are done.
   */
  async function readColumns(members, viewer, seats, progress = async () => {}) {
    const columns = new Columns(members, viewer, seats);
    const { count } = columns;
    const events = [],
      heads = [];
    let limit = null;
    try {
      need(
        count <= MOST_EVENTS,
        "columns",
        "has more events than this verifier reads",
        "events.ndjson",
      );
      const isWhole = columns.rest === 0 && columns.lines.length > 0;
      need(isWhole, "columns", "does not end with a line", "events.ndjson");
      columns.needWhole(columns.row(1));
      const created = await own.at("event 1", () => parsed(columns, columns.row(1)).event);
      need(created.kind === "match_created", "kind", "does not create the match", "event 1");
      need(created.seats === seats, "manifest", "has another number of seats", "manifest.json");
      const id = uuid(created.match_id);
      let before = await own.genesis(id, seats, created.format);
      for (let start = 1; start <= count; start += TOGETHER) {
        const rows = Array.from({ length: Math.min(TOGETHER, count - start + 1) }, (_, n) =>
          columns.row(start + n),
        );
        const begins = (n) => (n === 0 ? before : rows[n - 1].hash);
        const made = await Promise.allSettled(
          rows.map((row, n) => checkRow(columns, id, row, begins(n))),
        );
        for (const [n, each] of made.entries()) {
          if (each.status === "rejected")
            return { events, heads, fault: faultAt(each.reason, `event ${start + n}`) };
          if (each.value === null) limit ??= start + n;
          if (limit === null) events.push(each.value);
          heads.push(rows[n].hash);
        }
        before = rows[rows.length - 1].hash;
        await progress(heads.length, count);
      }
    } catch (error) {
      return { events, heads, fault: faultAt(error, "event 1") };
    }
    return { events, heads, fault: null, limit };
  }

  function faultAt(error, place) {
    if (!(error instanceof Wrong)) throw error;
    error.place ??= place;
    return error;
  }

  // Texts

  function digestIn(event, field) {
    const own_ = (value) =>
      own.isObject(value) && Object.hasOwn(value, field) ? value[field] : undefined;
    return own_(event.move) ?? own_(event);
  }

  /** The rows of texts.ndjson. Throws Wrong. */
  function textsIn(bytes) {
    const { lines, rest } = linesOf(bytes);
    need(rest === 0, "texts", "ends within a line");
    return lines.map((line) => {
      const row = parseCanonical(line);
      const { salt, text, field, version } = row;
      const sound =
        own.hasOnly(row, ["field", "salt", "text", "version"]) &&
        own.isHex(salt) &&
        typeof text === "string" &&
        typeof field === "string" &&
        Number.isSafeInteger(version) &&
        version >= 1;
      need(sound, "texts", "has other members than a text has");
      return row;
    });
  }

  /** Checks the texts of one event, of which `rows` are. Throws Wrong. */
  async function checkTexts(rows, event) {
    for (const { field, salt, text } of rows) {
      const digest = hex(await own.hmac(own.unhex(salt), utf8(text)));
      need(digestIn(event, field) === digest, "text", `has another text as ${field}`);
    }
  }

  /** Throws Wrong unless each text is of an event, behind the one before it. */
  function checkOrder(rows, count) {
    rows.forEach((row, place) => {
      const before = rows[place - 1];
      const isNext =
        before === undefined ||
        row.version > before.version ||
        (row.version === before.version && row.field > before.field);
      need(isNext && row.version <= count, "texts", "is not in order, or of no event");
    });
  }

  Object.assign(own, { linesOf, viewerIn, readColumns, textsIn, checkTexts, checkOrder });
})((globalThis.PlyscribeVerifier ??= {}));
