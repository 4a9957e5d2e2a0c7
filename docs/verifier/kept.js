// What an arbiter's bundle keeps of refusals, and what statements of the log say of its keys.
(function (own) {
  "use strict";

  const { need, hex, isHex, isObject, hasOnly, unhex, unbase64url } = own;
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
    const { kind } = statement;
    const shape =
      typeof kind === "string" && Object.hasOwn(STATEMENTS, kind) ? STATEMENTS[kind] : null;
    need(shape !== null && hasOnly(statement, shape), "statement", "is of no kind there is");
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

  /**
   * The keys that statements lead to from those somebody trusts, with what is said of their retirement.
   * Goes through them until a round adds none.
   */
  async function followed(trusted, rows) {
    return (await follow(trusted, rows)).keys;
  }

  /** Such keys, and the rows that counted on the way. Throws Wrong for two logs. */
  async function follow(trusted, rows) {
    const counted = new Map();
    const known = new Map(trusted.map((key) => [key.kid, { ...key }]));
    const open = new Set(rows);
    for (let size = -1; size !== open.size;) {
      size = open.size;
      for (const row of open) {
        const signer = known.get(row.kid);
        const { at, kid, kind, purpose, key } = row.statement;
        const isByThen =
          signer?.purpose === "checkpoints" && (signer.retired === null || at <= signer.retired);
        if (!isByThen || !(await holds(row, signer.bytes))) continue;
        open.delete(row);
        const first = counted.get(row.position) ?? row;
        const isAgain = own.canonicalText(first.statement) === own.canonicalText(row.statement);
        need(isAgain, "statement", `says two things at position ${row.position} of the log`);
        counted.set(row.position, first);
        if (kind === "key_introduced" && !known.has(kid)) {
          known.set(kid, {
            kid,
            bytes: unbase64url(key.x),
            purpose,
            created: at,
            retired: null,
            origin: signer.origin,
          });
        }
        const retires = kind === "key_retired" ? known.get(kid) : undefined;
        if (retires?.purpose === purpose) retires.retired = Math.min(retires.retired ?? at, at);
      }
    }
    return { keys: [...known.values()], counted };
  }

  /** The key that signed its own introduction: whom to trust who trusts nobody. */
  function firstKey(rows) {
    const { statement } = rows.find(
      ({ kid, statement }) => statement.kind === "key_introduced" && kid === statement.kid,
    );
    const { kid, key, purpose, at } = statement;
    return { kid, bytes: unbase64url(key.x), purpose, created: at, retired: null, origin: null };
  }

  /** The statements of a bundle, checked as far as it needs nobody's trust. Throws Wrong. */
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
    if (!hasKeys) return rows;
    const { counted } = await follow([firstKey(rows)], rows);
    for (const { position } of rows)
      need(counted.has(position), "statement", `${position} is vouched for by nobody`);
    return rows;
  }

  // Refusals

  /** Throws Wrong unless a move is the one that was refused; a salt without one shows nothing. */
  async function needOpened({ submitted }, { salt, move }, reason) {
    if (move === null) return;
    need(isHex(salt), "refusal", reason);
    need(hex(await own.hmac(unhex(salt), canonical(move))) === submitted, "refusal", reason);
  }

  async function refusalIn(row, { keys, trusted, id, seats, heads, hasKeys, life }) {
    const isRow =
      hasOnly(row, ["evidence", "move", "salt"]) && (row.salt === null || isHex(row.salt));
    need(
      isRow && hasOnly(row.evidence, ["kid", "payload", "signature", "tag"]),
      "refusal",
      "has other members",
    );
    const { tag, kid } = row.evidence;
    need(tag === "plyscribe/refusal/1", "refusal", "is none");
    need(
      keys.some((key) => key.kid === kid),
      "keys",
      "are not those that signed the refusals",
      "keys.json",
    );
    const payload = await own.documentIn(row.evidence, hasKeys ? (trusted ?? keys) : null);
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

  /** How many refusals.ndjson has: `keys` are those for receipts in keys.json, `trusted` yours, or null. Throws Wrong. */
  async function checkRefusals(bytes, given) {
    const used = new Set();
    let before = null,
      link = NO_LINK;
    const rows = rowsOf(bytes);
    for (const row of rows) {
      const payload = await refusalIn(row, given);
      used.add(row.evidence.kid);
      const isNext =
        before !== null && payload.seat === before.seat && payload.number === before.number + 1;
      const isFirst = payload.number === 1 && (before === null || payload.seat > before.seat);
      need(isNext || isFirst, "refusal", "is not in order, or one before it is missing");
      need(payload.prev === (isFirst ? NO_LINK : link), "refusal", "leaves out the one before it");
      link = await own.linkOf(payload);
      before = payload;
    }
    for (const { kid } of given.keys)
      need(used.has(kid), "keys", "has a key that signed no refusal", "keys.json");
    return rows.length;
  }

  Object.assign(own, { followed, firstKey, checkStatements, checkRefusals, needOpened });
})((globalThis.PlyscribeVerifier ??= {}));
