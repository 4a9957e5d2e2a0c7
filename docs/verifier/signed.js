// What is signed in a bundle: statements of the log, an arbiter's refusals, the proof; and by whom.
(function (own) {
  "use strict";

  const { need, at, uuid } = own;
  const SKEW = 60_000; // ms: how far apart the clocks of the service may be
  const REFUSALS = "refusals.ndjson";
  const STATEMENTS = "statements.ndjson";
  const KEYS = "keys.json";
  const PROOF = "proof.tlog-proof";

  const of = (purpose, keys) => keys?.filter((key) => key.purpose === purpose) ?? null;

  /**
   * Checks what is signed against a log that holds: {heads, created, events, life}. Tells `found` what
   * was checked and what can't be, the statements, the documents, the checkpoint and its signers, and
   * which keys it brings.
   * Throws Wrong.
   */
  async function checkSigned(members, log, options, found) {
    const file = members.get(KEYS);
    const isSigned = members.has(PROOF) || members.has(REFUSALS);
    need(file !== undefined || !isSigned, "keys", "are missing, of what is signed", KEYS);
    const keys = file === undefined ? [] : await at(KEYS, () => own.bundledKeys(file));
    const { rows, led } = await checkStatements(members, options, found);
    found.statements = rows;
    const trusted = await trustedKeys(rows, options);
    const told = withRetirement(keys, [...led, ...(trusted ?? [])]);
    found.brought = [...told, ...led];
    await checkRefusals(members, log, { ...options, keys: of("receipts", told), trusted }, found);
    await checkLog(members, log, { ...options, keys: of("checkpoints", told), trusted }, found);
  }

  /** The keys that those of who checks lead to; null for who has none. Throws Wrong. */
  async function trustedKeys(rows, { trusted, stated, hasKeys }) {
    if (trusted === null || !hasKeys) return trusted;
    const { keys, forks } = await own.followed(trusted, [...stated, ...rows]);
    const mine = new Set(rows);
    const sound = !forks.some((pair) => pair.some((row) => mine.has(row)));
    need(sound, "statement", "says another thing than what you saved of the log", STATEMENTS);
    return keys;
  }

  /** Keys with the earliest retirement that anybody tells of each. */
  function withRetirement(keys, told) {
    const times = new Map();
    for (const { kid, retired } of told)
      if (retired !== null) times.set(kid, Math.min(times.get(kid) ?? retired, retired));
    return keys.map((key) => ({ ...key, retired: times.get(key.kid) ?? null }));
  }

  async function checkStatements(members, { hasKeys }, found) {
    const statements = members.get(STATEMENTS);
    if (statements === undefined) return { rows: [], led: [] };
    need(members.has(KEYS), "statement", "is of no key", STATEMENTS);
    found.checked.push("statements");
    return at(STATEMENTS, () => own.checkStatements(statements, hasKeys));
  }

  async function checkRefusals(members, { heads, created, life }, { keys, trusted, hasKeys }, found) {
    const refusals = members.get(REFUSALS);
    need(refusals !== undefined || keys.length === 0, "keys", "are of no refusal", KEYS);
    if (refusals === undefined) return;
    const yours = of("receipts", trusted);
    const signers = yours === null || yours.length === 0 ? [keys] : [keys, yours];
    const log = { id: created.match_id, seats: created.seats, heads, life };
    const given = { ...log, keys, signers: hasKeys ? signers : [] };
    found.documents = await at(REFUSALS, () => own.checkRefusals(refusals, given));
    found.checked.push("refusals");
    found.unchecked.push("whether moves that were refused were on offer: that needs the rules");
    if (yours?.length === 0)
      found.unchecked.push("whose the refusals' signatures are: no key for receipts is trusted");
  }

  async function checkLog(members, { heads, created, events }, { keys, trusted, hasKeys }, found) {
    const proof = members.get(PROOF);
    if (proof === undefined) {
      need(keys.length === 0, "keys", "are of no proof", KEYS);
      found.unchecked.push("that it is in the log of all matches: there is no proof in the bundle");
      return;
    }
    need(keys.length > 0, "keys", "are missing, of the proof that is there", KEYS);
    const id = created.match_id;
    const genesis = await own.genesis(uuid(id), created.seats, created.format);
    const yours = of("checkpoints", trusted);
    const given = { id, heads, genesis, keys, trusted: yours?.length > 0 ? yours : null, hasKeys };
    const { checkpoint, first, last } = await at(PROOF, () => own.checkProof(proof, given));
    const latest = events.slice(first - 1, last).reduce((most, each) => Math.max(most, each.at), 0);
    const late = keys.some(({ retired }) => retired !== null && latest > retired + SKEW);
    need(!late, "proof", "is signed by a key that was retired before", PROOF);
    found.checkpoint = {
      ...checkpoint,
      signers: keys.map(({ kid }) => kid),
      isTrusted: given.trusted !== null,
    };
    found.checked.push("proof");
    if (last < heads.length)
      found.unchecked.push(`that events after ${last} are in the log of all matches`);
    if (hasKeys && !(yours?.length > 0)) {
      const why =
        yours === null
          ? "the keys are the bundle's own, none were given"
          : "no key for checkpoints is trusted";
      found.unchecked.push(`whose log the proof is of: ${why}`);
    }
  }

  Object.assign(own, { checkSigned });
})((globalThis.PlyscribeVerifier ??= {}));
