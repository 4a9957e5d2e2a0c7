// Signed documents: receipts, refusals, views, decisions, heads and results, each by itself.
(function (own) {
  "use strict";

  const { Wrong, need, hex, isHex, isUuid, isObject, hasOnly, text, utf8 } = own;
  const { canonical, parse, prefixed, unbase64url } = own;

  const SKEW = 60_000; // ms: how far apart the clocks of the service may be
  const isVersion = (value) => Number.isSafeInteger(value) && value >= 1;
  const isCount = (value) => Number.isSafeInteger(value) && value >= 0;
  const isInt = Number.isSafeInteger;
  const isDecision = (value) => value === null || typeof value === "string";
  const isViewer = (value) => /^(public|full|seat:(0|[1-9][0-9]*))$/.test(value);
  const SHOWN = {
    form: (value) => value === 1,
    match_id: isUuid,
    viewer: (v) => typeof v === "string" && isViewer(v),
    version: isVersion,
    head: isHex1,
    body: isHex1,
  };
  const orNull = (test) => (value) => value === null || test(value);
  const oneOf =
    (...words) =>
    (value) =>
      words.includes(value);
  const isFlag = (value) => typeof value === "boolean";
  const listOf = (test) => (value) => Array.isArray(value) && value.every(test);
  const ENDINGS = [
    ...["normal", "resigned", "forfeited", "adjudicated", "closed", "timed_out", "abandoned"],
    ...["cancelled", "void", "replayed"],
  ];
  const SEAT = {
    seat: isCount,
    rank: orNull(isVersion),
    score: orNull(isInt),
    outcome: orNull(oneOf("win", "draw", "loss")),
    resigned: isFlag,
    timed_out: isFlag,
    forfeit: isFlag,
    penalties: listOf(isVersion),
  };
  const fits = (shape, value) =>
    hasOnly(value, Object.keys(shape)) &&
    Object.keys(shape).every((name) => shape[name](value[name]));
  const PAYLOADS = {
    "plyscribe/receipt/1": {
      match_id: isUuid,
      seat: isCount,
      decision: isDecision,
      first: isVersion,
      last: isVersion,
      head: isHex1,
      commitment: isHex1,
      at: isInt,
    },
    "plyscribe/refusal/1": {
      match_id: isUuid,
      seat: isCount,
      number: isVersion,
      prev: isHex1,
      decision: isDecision,
      submitted: isHex1,
      code: (value) => typeof value === "string",
      version: isVersion,
      head: isHex1,
      at: isInt,
    },
    "plyscribe/view/1": SHOWN,
    "plyscribe/decision/1": SHOWN,
    "plyscribe/head/1": { match_id: isUuid, version: isVersion, head: isHex1 },
    "plyscribe/result/1": {
      form: (value) => value === 1,
      match_id: isUuid,
      version: isVersion,
      head: isHex1,
      status: oneOf("pending", "provisional", "final"),
      revision: isCount,
      terminal: orNull(oneOf(...ENDINGS)),
      replaced_by: orNull(isUuid),
      seats: listOf((seat) => fits(SEAT, seat)),
    },
  };

  function isHex1(value) {
    return isHex(value, 32);
  }

  const NOTHING = Object.freeze({});
  const isDocument = (value) =>
    isObject(value) &&
    ["tag", "payload", "kid", "signature"].every((name) => Object.hasOwn(value, name));

  /** All documents in any JSON value, in their order, with what they stand beside: a `body`, a move. */
  function documentsIn(value, found = [], body = null, beside = NOTHING) {
    const { move = null, salt = null } = beside;
    if (isDocument(value)) found.push({ value, body, move, salt });
    else if (value !== null && typeof value === "object") {
      const shown = typeof value.body === "string" ? utf8(value.body) : null;
      for (const each of Object.values(value)) documentsIn(each, found, shown, value);
    }
    return found;
  }

  /** The last answer of `curl -i`: its headers by lower-case name, and the bytes of its body. */
  function answerIn(bytes) {
    let start = 0,
      headers = new Map();
    while (text5(bytes, start) === "HTTP/") {
      headers = new Map();
      for (;;) {
        const end = bytes.indexOf(10, start);
        need(end !== -1, "file", "ends within the headers of an answer");
        const line = text(bytes.subarray(start, end)).replace(/\r$/, "");
        start = end + 1;
        if (line === "") break;
        const colon = line.indexOf(":");
        if (colon > 0)
          headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
      }
    }
    return { headers, body: bytes.subarray(start) };
  }

  const text5 = (bytes, start) => String.fromCharCode(...bytes.subarray(start, start + 5));

  function valuesIn(source) {
    try {
      return [parse(source)];
    } catch (error) {
      const lines = source.split("\n").filter((line) => line.trim() !== "");
      if (lines.length < 2) throw error;
      return lines.map(parse);
    }
  }

  /**
   * What documents a file holds: JSON, a line of JSON each, or an answer with its headers. Each has
   * its `value`, and the `body` it came with if it came in a header. Throws Wrong.
   */
  function evidenceIn(bytes) {
    if (text5(bytes, 0) !== "HTTP/")
      return valuesIn(text(bytes)).flatMap((value) => documentsIn(value));
    const { headers, body } = answerIn(bytes);
    const header = headers.get("plyscribe-evidence");
    const found = header === undefined ? [] : documentsIn(parse(header));
    for (const each of found) each.body = body;
    try {
      return [...found, ...valuesIn(text(body)).flatMap((value) => documentsIn(value))];
    } catch (error) {
      if (found.length > 0) return found;
      throw error;
    }
  }

  /** What evidenceIn gives; that a file is none it could read has a code of its own. */
  function readable(bytes) {
    try {
      return evidenceIn(bytes);
    } catch (error) {
      if (error instanceof Wrong) error.code = "unreadable";
      throw error;
    }
  }

  function payloadIn({ tag, payload }) {
    const shape = typeof tag === "string" && Object.hasOwn(PAYLOADS, tag) ? PAYLOADS[tag] : null;
    need(shape !== null, "tag", "has a tag this verifier does not know");
    canonical(payload); // what has no canonical form was never signed, keys or not
    need(fits(shape, payload), "payload", "has other members than its tag has");
    need(
      tag !== "plyscribe/receipt/1" || payload.first <= payload.last,
      "payload",
      "ends before it begins",
    );
    return payload;
  }

  /** The keys for receipts. */
  const byKid = (keys) =>
    new Map(keys.filter(({ purpose }) => purpose === "receipts").map((key) => [key.kid, key]));

  async function needSigned({ tag, payload, kid, signature }, keys) {
    const key = keys.get(kid);
    need(key !== undefined, "signature", "is by no key for receipts you gave");
    const data = own.signable("receipts", tag, canonical(payload));
    need(
      await own.signedBy(key.bytes, unbase64url(signature), data),
      "signature",
      "is not what its key signed",
    );
    const { created, retired } = key;
    const { at = null } = payload; // views, decisions and heads do not say when
    const early = at !== null && created !== null && at < created - SKEW;
    const late = at !== null && retired !== null && at >= retired;
    need(!early && !late, "signature", "is by a key that was not in use at that time");
  }

  async function needBody({ tag, payload }, body) {
    if (body === null || !["plyscribe/view/1", "plyscribe/decision/1"].includes(tag)) return;
    const made = hex(await own.sha256(body));
    // Some tools end a file with a line end of their own.
    const cut = body[body.length - 1] === 10 ? hex(await own.sha256(body.subarray(0, -1))) : made;
    need(
      made === payload.body || cut === payload.body,
      "body",
      "is of another body than the one it came with",
    );
  }

  const linkOf = async (payload) =>
    hex(await own.sha256(prefixed("plyscribe/refusal-link/1", canonical(payload))));

  /** What a document says, signed by one of `keys`, as of byKid, unless that is null. Throws Wrong. */
  async function documentIn(value, keys) {
    const { tag, kid, signature } = value;
    const payload = payloadIn(value);
    if (keys !== null) await needSigned({ tag, payload, kid, signature }, keys);
    return payload;
  }

  /** `keys` by their kid, or null; of what another key signed the signature stays open. */
  async function checkDocument({ value, body, move, salt }, keys, isTrusted) {
    const signer = isTrusted || keys?.has(value.kid) ? keys : null;
    const payload = await documentIn(value, signer);
    await needBody({ tag: value.tag, payload }, body);
    const reason = "is of another move or salt than those beside it";
    if (value.tag === "plyscribe/refusal/1") await own.needOpened(payload, { move, salt }, reason);
    return { tag: value.tag, payload, kid: value.kid, isOpen: signer === null };
  }

  /** Keeps a fault; the documents behind it are still held against each other. */
  function note(found, error, place) {
    if (!(error instanceof Wrong)) throw error;
    found.faults.push({ place, code: error.code, reason: error.message });
  }

  const isStatement = (value) =>
    isObject(value) &&
    isVersion(value.position) &&
    isObject(value.statement) &&
    typeof value.kid === "string" &&
    typeof value.signature === "string";

  /** Statements of the log of all matches in a file, as pages or lines have them. Never throws. */
  const statementsIn = (bytes) => rowsIn(bytes, "statements").filter(isStatement);

  const isProved = (value) => isObject(value) && isVersion(value.version) && isObject(value.proof);

  /** Whether there are events with proofs in a file. Never throws. */
  const hasEvents = (bytes) => rowsIn(bytes, "events").some(isProved);

  /** Whether a file is the answer on a seat that was never refused. */
  function isOfNone(bytes) {
    const { body } = text5(bytes, 0) === "HTTP/" ? answerIn(bytes) : { body: bytes };
    return valuesIn(text(body)).every(
      (value) => Array.isArray(value?.refusals) && value.refusals.length === 0,
    );
  }

  /** What a page has under that name, or lines have each. Never throws. */
  function rowsIn(bytes, name) {
    try {
      const { body } = text5(bytes, 0) === "HTTP/" ? answerIn(bytes) : { body: bytes };
      return valuesIn(text(body)).flatMap((value) => value?.[name] ?? [value]);
    } catch (error) {
      if (error instanceof Wrong) return [];
      throw error;
    }
  }

  /**
   * The documents of a file, each checked by itself: {documents, faults, checked, unchecked}. A file
   * of statements alone is sound: what they lead to is told elsewhere. Never throws for what is in the bytes. `keys` are those of trustedIn, or null.
   */
  async function verifyEvidence(bytes, keys, isTrusted = true) {
    const found = { documents: [], faults: [], checked: [], unchecked: [] };
    if (hasEvents(bytes)) found.unchecked.push("the events in it: only those of bundles are read here");
    if (statementsIn(bytes).length > 0) found.checked.push("statements");
    let number = 0;
    try {
      const given = readable(bytes);
      if (given.length === 0 && found.checked.length + found.unchecked.length > 0) return found;
      const isNone = given.length === 0 && isOfNone(bytes);
      need(given.length > 0 || isNone, "file", "holds no signed document, and is no bundle");
      const canSign = keys !== null && (await own.hasEd25519());
      const known = canSign ? byKid(keys) : null;
      for (const each of given) {
        number += 1;
        await checkDocument(each, known, isTrusted).then(
          (document) => found.documents.push(document),
          (error) => note(found, error, `document ${number}`),
        );
      }
      found.checked.push(...(canSign ? ["documents", "signatures"] : ["documents"]));
      if (keys === null || (!isTrusted && found.documents.some(({ isOpen }) => isOpen)))
        found.unchecked.push("signatures: no keys for receipts were given");
      else if (canSign && !isTrusted)
        found.unchecked.push("whose the signatures are: no keys for receipts were given");
      else if (!canSign)
        found.unchecked.push("signatures: Ed25519 is not in this browser's WebCrypto");
    } catch (error) {
      note(found, error, "file");
    }
    return found;
  }

  Object.assign(own, { verifyEvidence, statementsIn, documentIn, byKid, linkOf });
})((globalThis.PlyscribeVerifier ??= {}));
