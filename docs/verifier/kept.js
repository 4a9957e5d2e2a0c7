// What an arbiter's bundle keeps of refusals, and what statements of the log say of its keys.
(function (own) {
  "use strict";

  const { Wrong, need, hex, isHex, isObject, hasOnly, unhex, unbase64url } = own;
  const { canonical, parseCanonical, linesOf } = own;
  const NO_LINK = "0".repeat(64);
  const STATEMENTS = {
    key_introduced: ["at", "key", "kid", "kind", "purpose"],
    key_retired: ["at", "kid", "kind", "purpose"],
    origin_changed: ["at", "kind", "origin", "previous", "reason"],
  };

  function rowsOf(bytes) {
    const { lines, rest } = linesOf(bytes);
    need(rest === 0, "form", "ends within a line");
    return lines.map(parseCanonical);
  }

  // Statements

  async function statementIn(row) {
    const { statement, position } = row;
    const isRow = hasOnly(row, ["kid", "position", "signature", "statement"]);
    need(
      isRow && Number.isSafeInteger(position) && isObject(statement),
      "statement",
      "has other members",
    );
    const { at, kind } = statement;
    const shape =
      typeof kind === "string" && Object.hasOwn(STATEMENTS, kind) ? STATEMENTS[kind] : null;
    const isOne = shape !== null && hasOnly(statement, shape) && Number.isSafeInteger(at);
    need(isOne, "statement", "is of no kind there is");
    if (kind !== "key_introduced") return row;
    const { key, kid } = statement;
    const isKey = hasOnly(key, ["crv", "kty", "x"]) && unbase64url(key.x)?.length === 32;
    need(isKey && kid === (await own.thumbprint(key.x)), "statement", "introduces no key");
    return row;
  }

  const holds = ({ signature, statement }, key) =>
    own.signedBy(
      key,
      unbase64url(signature),
      own.signable("checkpoints", "plyscribe/statement/1", canonical(statement)),
    );

  /** Those of saved rows that are statements; what is none, and so was never signed, says nothing. */
  async function stated(saved) {
    const found = [];
    for (const each of saved) {
      try {
        canonical(await statementIn(each.row));
        found.push(each);
      } catch (error) {
        if (!(error instanceof Wrong)) throw error;
      }
    }
    return found;
  }

  /**
   * The keys that statements lead to from those somebody trusts, with what is said of their
   * retirement; the rows that counted on the way, by position; and each pair of rows that counted and
   * say two things in one position, of which the second leads nowhere.
   * Goes through them by position, until a round adds none.
   */
  async function followed(trusted, rows) {
    const counted = new Map(),
      forks = [];
    const known = new Map(trusted.map((key) => [key.kid, { ...key }]));
    const sorted = [...rows].sort((one, other) => one.position - other.position);
    const waiting = own.grouped(sorted.keys(), (place) => sorted[place].kid);
    // A turn is a round, and in it a place; who signs has to be known before it comes.
    const turns = new own.Queue();
    const wake = (kid, turn) => {
      const round = Math.floor(turn / sorted.length) * sorted.length;
      for (const place of waiting.get(kid) ?? [])
        turns.push(round + place + (round + place < turn ? sorted.length : 0));
      waiting.delete(kid);
    };
    for (const kid of known.keys()) wake(kid, 0);
    for (let turn = turns.pop(); turn !== undefined; turn = turns.pop()) {
      const row = sorted[turn % sorted.length];
      const signer = known.get(row.kid);
      const { at } = row.statement;
      const isByThen =
        signer.purpose === "checkpoints" && (signer.retired === null || at <= signer.retired);
      if (!isByThen || !(await holds(row, signer.bytes))) continue;
      const first = counted.get(row.position) ?? row;
      counted.set(row.position, first);
      if (own.canonicalText(first.statement) !== own.canonicalText(row.statement)) {
        forks.push([first, row]);
        continue;
      }
      learn(row.statement, known, signer.origin);
      if (known.has(row.statement.kid)) wake(row.statement.kid, turn);
    }
    return { keys: [...known.values()], counted, forks };
  }

  function learn({ at, kid, kind, purpose, key }, known, origin) {
    if (kind === "key_introduced" && !known.has(kid)) {
      const bytes = unbase64url(key.x);
      known.set(kid, { kid, bytes, purpose, created: at, retired: null, origin });
    }
    const retires = kind === "key_retired" ? known.get(kid) : undefined;
    if (retires?.purpose === purpose) retires.retired = Math.min(retires.retired ?? at, at);
  }

  /** The key that signed its own introduction: whom to trust who trusts nobody. */
  function firstKey(rows) {
    const { statement } = rows.find(
      ({ kid, statement }) => statement.kind === "key_introduced" && kid === statement.kid,
    );
    const { kid, key, purpose, at } = statement;
    return { kid, bytes: unbase64url(key.x), purpose, created: at, retired: null, origin: null };
  }

  /**
   * The statements of a bundle, checked as far as it needs nobody's trust: {rows, led}, where its first
   * key leads to. Throws Wrong.
   */
  async function checkStatements(bytes, hasKeys) {
    const rows = [];
    for (const row of rowsOf(bytes)) rows.push(await statementIn(row));
    const isAscending = rows.every(
      ({ position }, n) => position >= 1 && (n === 0 || position > rows[n - 1].position),
    );
    need(isAscending && rows.length > 0, "statement", "is not in its order");
    const introduced = rows.filter(({ statement }) => statement.kind === "key_introduced");
    const first = introduced.filter(({ kid, statement }) => kid === statement.kid);
    need(first.length === 1, "statement", "does not begin with one key that signs for itself");
    if (!hasKeys) return { rows, led: [] };
    const { counted, keys } = await followed([firstKey(rows)], rows);
    for (const { position } of rows)
      need(counted.has(position), "statement", `${position} is vouched for by nobody`);
    return { rows, led: keys };
  }

  // Refusals

  /** Throws Wrong unless a move is the one that was refused; a salt without one shows nothing. */
  async function needOpened({ submitted }, { salt, move }, reason) {
    need(isHex(salt) || (salt === null && move === null), "refusal", reason);
    if (move === null) return;
    need(hex(await own.hmac(unhex(salt), canonical(move))) === submitted, "refusal", reason);
  }

  async function refusalIn(row, { kids, signers, id, seats, heads, life }) {
    const isRow =
      hasOnly(row, ["evidence", "move", "salt"]) && (row.salt === null || isHex(row.salt));
    need(
      isRow && hasOnly(row.evidence, ["kid", "payload", "signature", "tag"]),
      "refusal",
      "has other members",
    );
    const { tag, kid } = row.evidence;
    need(tag === "plyscribe/refusal/1", "refusal", "is none");
    need(kids.has(kid), "keys", "are not those that signed the refusals", "keys.json");
    const payload = await own.documentIn(row.evidence, null);
    for (const keys of signers) await own.documentIn(row.evidence, keys);
    need(payload.match_id === id && payload.seat < seats, "refusal", "is of another match");
    const { version, head } = payload;
    need(
      version <= heads.length && hex(heads[version - 1]) === head,
      "refusal",
      "is of another log",
    );
    await needOpened(payload, row, "is of another move");
    const reason = whyWrong(payload, life);
    need(reason === null, "refusal", `was wrong: ${reason}`);
    return payload;
  }

  /** Why a refusal was wrong, as far as the log tells it without the rules; else null. */
  function whyWrong({ code, seat, decision, version, at }, life) {
    const answeredAt = life.answered.get(`${seat} ${decision}`) ?? 0;
    const { closes_at } = life.created;
    const then = life.positions[version];
    if (then === undefined) return null; // of a newer release
    const isOpen = then.asked.get(seat) === decision && (then.isAsking || answeredAt > version);
    const canBe = {
      "decision-answered": answeredAt > 0,
      "deal-group-closed": closes_at !== null && at >= closes_at,
      "match-closed": closes_at !== null && at >= closes_at,
      "match-not-running": then.status !== "running" || !then.isAsking,
      "match-under-review": then.status === "running" && then.held === "review",
      "match-paused": then.status === "running" && then.held === "pause",
      "already-resigned": then.resigned.includes(seat),
      "decision-closed": decision !== null && !isOpen,
    };
    return (canBe[code] ?? true) ? null : `it can't have been ${code}`;
  }

  /**
   * What refusals.ndjson says, as documents. `keys` are those for receipts in keys.json, `signers` sets
   * of keys under each of which all has to be signed. Throws Wrong.
   */
  async function checkRefusals(bytes, { keys, signers, ...log }) {
    const given = { ...log, kids: new Set(keys.map(({ kid }) => kid)), signers: signers.map(own.byKid) };
    const used = new Set();
    let before = null,
      link = NO_LINK;
    const documents = [];
    for (const row of rowsOf(bytes)) {
      const payload = await refusalIn(row, given);
      used.add(row.evidence.kid);
      const isNext =
        before !== null && payload.seat === before.seat && payload.number === before.number + 1;
      const isFirst = payload.number === 1 && (before === null || payload.seat > before.seat);
      need(isNext || isFirst, "refusal", "is not in order, or one before it is missing");
      need(payload.prev === (isFirst ? NO_LINK : link), "refusal", "leaves out the one before it");
      link = await own.linkOf(payload);
      before = payload;
      documents.push({ tag: row.evidence.tag, payload, kid: row.evidence.kid });
    }
    for (const { kid } of keys)
      need(used.has(kid), "keys", "has a key that signed no refusal", "keys.json");
    return documents;
  }

  Object.assign(own, { stated, followed, firstKey, checkStatements, checkRefusals, needOpened });
})((globalThis.PlyscribeVerifier ??= {}));
