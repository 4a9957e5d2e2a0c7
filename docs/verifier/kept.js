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

  const holds = ({ kid, signature, statement }, known) =>
    own.signedBy(
      known.get(kid) ?? null,
      unbase64url(signature),
      own.signable("checkpoints", "plyscribe/statement/1", canonical(statement)),
    );

  /**
   * The keys that statements lead to from those somebody trusts, with what is said of their retirement.
   * Goes through them until a round adds none.
   */
  async function followed(trusted, rows) {
    const known = new Map(trusted.map((key) => [key.kid, { ...key }]));
    const open = new Set(rows);
    for (let size = -1; size !== open.size;) {
      size = open.size;
      for (const row of open) {
        const signer = known.get(row.kid);
        const { at, kid, kind, purpose, key } = row.statement;
        const isByThen =
          signer?.purpose === "checkpoints" && (signer.retired === null || at <= signer.retired);
        if (!isByThen || !(await holds(row, new Map([[row.kid, signer.bytes]])))) continue;
        open.delete(row);
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
        const retires = kind === "key_retired" && known.get(kid);
        if (retires) retires.retired = Math.min(retires.retired ?? at, at);
      }
    }
    return [...known.values()];
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
    const known = new Map();
    for (const { statement } of introduced) {
      if (statement.purpose === "checkpoints")
        known.set(statement.kid, unbase64url(statement.key.x));
    }
    for (const row of rows)
      need(
        await holds(row, known),
        "statement",
        `${row.position} is not signed by a key of the log`,
      );
    return rows;
  }

  // Refusals

  async function refusalIn(row, { keys, trusted, id, seats, heads, hasKeys }) {
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
    if (row.salt !== null && row.move !== null) {
      const made = hex(await own.hmac(unhex(row.salt), canonical(row.move)));
      need(made === payload.submitted, "refusal", "is of another move");
    }
    return payload;
  }

  /** Checks refusals.ndjson: `keys` are those for receipts in keys.json, `trusted` yours, or null. Throws Wrong. */
  async function checkRefusals(bytes, given) {
    const used = new Set();
    let before = null,
      link = NO_LINK;
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
    }
    for (const { kid } of given.keys)
      need(used.has(kid), "keys", "has a key that signed no refusal", "keys.json");
  }

  Object.assign(own, { followed, firstKey, checkStatements, checkRefusals });
})((globalThis.PlyscribeVerifier ??= {}));
