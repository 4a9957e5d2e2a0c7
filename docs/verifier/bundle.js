// One bundle: everything in it held against everything else, without the rules of a game.
(function (own) {
  "use strict";

  const { Wrong, need, at, hex, uuid, equal, unhex, isHex, isUuid, isObject, hasOnly } = own;
  const { canonical, parseCanonical, unzipped, Life, Secrets } = own;
  const MANIFEST = "manifest.json";
  const FACTS = [
    "data_digest",
    "events",
    "format",
    "game",
    "head",
    "match_id",
    "members",
    "perspective",
    "rules_version",
    "seats",
  ];
  const RULES = {
    full: "legality of moves, offers, decisions asked, the outcome, what other viewers were shown: that needs the rules",
    shown:
      "moves, what was drawn, what other viewers were shown, the outcome: only the full bundle shows them",
  };

  function manifestIn(bytes, members) {
    const told = parseCanonical(bytes);
    need(hasOnly(told, FACTS), "manifest", "has other members than a manifest has");
    const isCount = (value) => Number.isSafeInteger(value) && value >= 1;
    const sound =
      told.format === "plyscribe/bundle/1" &&
      isUuid(told.match_id) &&
      typeof told.game === "string" &&
      isCount(told.rules_version) &&
      (told.data_digest === "" || isHex(told.data_digest)) &&
      isCount(told.seats) &&
      told.seats < 65536 &&
      isCount(told.events) &&
      isHex(told.head) &&
      isObject(told.members);
    need(sound, "manifest", "has members of another kind");
    for (const each of Object.values(told.members)) {
      const isOne = hasOnly(each, ["sha256", "size"]) && typeof each.sha256 === "string";
      need(isOne && Number.isSafeInteger(each.size), "manifest", "describes a member otherwise");
    }
    return told;
  }

  /** The first member that is not what the manifest or the zip says, or null. */
  async function firstDamaged({ members, damage }, manifest) {
    const listed = Object.entries(manifest.members);
    for (const name of members.keys()) {
      const isTold = name === MANIFEST || Object.hasOwn(manifest.members, name);
      if (!isTold) return new Wrong("member", "is not in the manifest", name);
    }
    for (const [name, { size, sha256 }] of listed) {
      const content = name === MANIFEST ? undefined : members.get(name);
      if (content === undefined)
        return new Wrong("member", "is missing", own.ORDER.includes(name) ? name : MANIFEST);
      const holds = size === content.length && hex(await own.sha256(content)) === sha256;
      if (!holds) return new Wrong("member", "is not what the manifest says", name);
    }
    return damage;
  }

  /** The seed a log opens, once it fits its commitment; null before the reveal. Throws Wrong. */
  async function seedIn(events) {
    const created = events[0];
    const reveal = events.find((event) => event.kind === "match_revealed");
    if (reveal === undefined) return null;
    const bound = uuid(created.deal_group ?? created.match_id);
    const made = hex(await own.seedCommitment(bound, unhex(reveal.seed)));
    if (made !== created.seed_commitment)
      throw new Wrong(
        "seed",
        "opens another seed than was committed to",
        `event ${reveal.version}`,
      );
    return unhex(reveal.seed);
  }

  async function checkPlay({ events, heads, limit, rows, viewer }, found, { hasKeys, progress }) {
    const [created] = events;
    let seedFault = null;
    const seed = await seedIn(events).catch((error) => {
      if (!(error instanceof Wrong)) throw error;
      seedFault = error;
      return null;
    });
    const said = own.grouped(rows, (row) => row.version);
    const life = new Life(created, viewer === "full");
    const secrets = new Secrets({ created, life, seed, heads, viewer, hasKeys });
    for (const event of events) {
      await at(`event ${event.version}`, async () => {
        if (seedFault?.place === `event ${event.version}`) throw seedFault;
        life.step(event);
        await secrets.check(event);
        await own.checkTexts(said.get(event.version) ?? [], event);
      });
      if (event.version % 64 === 0) await progress(event.version, events.length);
    }
    needErased(rows, events, life);
    // What a viewer saw may be cut off anywhere; a log ends where nothing has to follow.
    if (limit === null && viewer === "full")
      await at(`event ${events.length + 1}`, () => life.finish());
    if (limit === null && viewer !== "full") await secrets.finish();
    if (limit !== null)
      found.unchecked.push(`everything from event ${limit} on: it is of a newer release`);
    found.checked.push("following", ...secrets.done);
    noteClocks(life, found);
    found.latest = limit === null ? life.latestReveal : null; // It may be behind the limit.
    found.log.life = life;
    if (seed !== null) found.checked.push("seed");
    else
      found.unchecked.push(
        "the seed, draws and answers that were not shown: the match is not revealed",
      );
    return seed;
  }

  /** What of clocks is checked, and what is the operator's word or needs the rules. */
  function noteClocks({ created, unclear }, found) {
    if (created.clock === null) return;
    found.checked.push("clocks");
    found.unchecked.push(
      "clocks: when answers arrived, and that nobody was served, is the operator's word",
      "clocks: that no flag is missing that was due needs the rules",
    );
    for (const [seat, version] of unclear) {
      found.unchecked.push(
        `the clock of seat ${seat} from event ${version} on: when its decision closed needs the rules`,
      );
    }
  }

  /** Throws Wrong where a text is there that the bundle says was erased. */
  function needErased(rows, events, life) {
    const latest = new Map(); // by what it names
    for (const event of events)
      if (event.kind === "erased") latest.set(own.erasedName(event), event.version);
    for (const { version, field } of rows) {
      const isGone = (name) => latest.get(name) > version;
      const isThere = !life.namesOf(version, field).some(isGone);
      need(isThere, "erased", `has a text as ${field} that was erased`, `event ${version}`);
    }
  }

  async function checkMembers(members, created, seed) {
    const options = members.get("options.json");
    need(
      equal(options, canonical(created.options)),
      "options",
      "are not those of event 1",
      "options.json",
    );
    const tables = members.get("tables.bin");
    const digest = tables === undefined ? "" : hex(await own.sha256(tables));
    need(digest === created.data_digest, "tables", "are not those of event 1", "tables.bin");
    if (seed === undefined) return; // The reveal is behind what can be read.
    const shown = members.get("seed.bin");
    const sound = seed === null ? shown === undefined : shown !== undefined && equal(shown, seed);
    need(sound, "seed", "is not the seed of the reveal", "seed.bin");
  }

  function checkFacts(manifest, created, heads) {
    for (const name of ["match_id", "game", "rules_version", "data_digest", "seats"]) {
      need(
        manifest[name] === created[name],
        "manifest",
        `has another ${name} than event 1`,
        MANIFEST,
      );
    }
    need(manifest.events === heads.length, "manifest", "has another number of events", MANIFEST);
    need(manifest.head === hex(heads[heads.length - 1]), "manifest", "has another head", MANIFEST);
  }

  async function checkAll(data, options, found) {
    const zip = unzipped(data);
    const { members } = zip;
    const manifest = await at(MANIFEST, () => manifestIn(members.get(MANIFEST), members));
    Object.assign(found, {
      match_id: manifest.match_id,
      perspective: manifest.perspective,
      events: manifest.events,
      head: manifest.head,
    });
    const damaged = await firstDamaged(zip, manifest);
    try {
      await checkContent(members, manifest, options, found);
    } catch (error) {
      // What is wrong within a damaged member says more than that it is damaged.
      const isPlain =
        damaged === null || !(error instanceof Wrong) || error.place?.startsWith("event ");
      if (isPlain) throw error;
    }
    if (damaged !== null) throw damaged;
    found.checked.push("manifest");
  }

  async function checkContent(members, manifest, options, found) {
    const { progress } = options;
    const { seats } = manifest;
    own.needMembers(members);
    const viewer = own.viewerIn(manifest.perspective, seats);
    need(
      viewer === "full" || !members.has("refusals.ndjson"),
      "member",
      "is not this viewer's",
      "refusals.ndjson",
    );
    const texts = members.get("texts.ndjson") ?? new Uint8Array();
    const rows = await at("texts.ndjson", () => own.textsIn(texts));
    const read = await own.readColumns(members, viewer, seats, progress);
    if (read.fault !== null) throw read.fault;
    found.checked.push("chain", "facets");
    const [created] = read.events;
    found.log = { ...read, created, viewer, facets: members.get("facets.bin") };
    const seed = await checkPlay({ ...read, rows, viewer }, found, options);
    if (rows.length > 0) found.checked.push("texts");
    found.unchecked.push(viewer === "full" ? RULES.full : RULES.shown);
    checkFacts(manifest, created, read.heads);
    await checkMembers(members, created, read.limit === null ? seed : undefined);
    await at("texts.ndjson", () => own.checkOrder(rows, read.heads.length));
    found.checked.push("options");
    if (!options.hasKeys)
      found.unchecked.push("signatures: Ed25519 is not in this browser's WebCrypto");
    await own.checkSigned(members, found.log, options, found);
  }

  const nothing = async () => {};

  /**
   * What is wrong with a bundle, what holds, and what can't be checked. Never throws for what is in
   * the bytes. `trusted` are keys of trustedIn, or null, `stated` saved statements that the
   * bundle's own must not contradict; `progress(done, of)` may be asynchronous.
   */
  async function verifyBundle(data, { trusted = null, stated = [], progress = nothing } = {}) {
    const found = {
      ok: false,
      match_id: null,
      perspective: null,
      events: null,
      head: null,
      faults: [],
      checked: [],
      unchecked: [],
      log: null,
      checkpoint: null,
      documents: [],
      statements: [],
      brought: [],
      latest: null,
    };
    try {
      const options = { trusted, stated, progress, hasKeys: await own.hasEd25519() };
      await checkAll(data, options, found);
      found.ok = true;
    } catch (error) {
      if (!(error instanceof Wrong)) throw error;
      const { place = null, code, message } = error;
      found.faults.push({ place: place ?? "zip", code, reason: message });
    }
    return found;
  }

  Object.assign(own, { verifyBundle });
})((globalThis.PlyscribeVerifier ??= {}));
