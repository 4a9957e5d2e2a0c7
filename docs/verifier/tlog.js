// The log of all matches: keys, checkpoints, and the proof that a match's end is in it.
(function (own) {
  "use strict";

  const { need, equal, hex, utf8, text, unbase64, unbase64url, base64url } = own;
  const NODE = Uint8Array.of(1),
    LEAF = Uint8Array.of(0),
    ED25519 = Uint8Array.of(1);
  const MOST_TEXT = 1 << 20;
  const MOST_SIGNATURES = 100;
  const PURPOSES = ["checkpoints", "receipts", "webhooks"];
  const isNumber = (word) => /^(0|[1-9][0-9]{0,14})$/.test(word);

  const nodeHash = (left, right) => own.sha256(NODE, left, right);
  const leafHash = (leaf) => own.sha256(LEAF, leaf);

  /** The root a path leads to, RFC 9162 2.1.3.2, or null where it can't be a path of that place. */
  async function rootOf(leaf, index, size, path) {
    if (index >= size) return null;
    let place = BigInt(index),
      last = BigInt(size) - 1n,
      made = leaf;
    for (const other of path) {
      if (last === 0n) return null;
      if (place & 1n || place === last) {
        made = await nodeHash(other, made);
        while (!(place & 1n) && place !== 0n) {
          place >>= 1n;
          last >>= 1n;
        }
      } else made = await nodeHash(made, other);
      place >>= 1n;
      last >>= 1n;
    }
    return last === 0n ? made : null;
  }

  /** A signed note of a checkpoint: {origin, size, root, text, signatures}. Throws Wrong. */
  function checkpointIn(note) {
    const place = note.indexOf("\n\n");
    need(place !== -1 && note.endsWith("\n"), "proof", "has no signed checkpoint");
    const signed = note.slice(0, place + 1);
    const [origin, size, root, ...others] = signed.slice(0, -1).split("\n");
    const sound = origin && isNumber(size ?? "") && unbase64(root ?? "")?.length === 32;
    need(sound && others.every(Boolean), "proof", "has no checkpoint of origin, size and root");
    const lines = note.slice(place + 2, -1).split("\n");
    need(lines.length <= MOST_SIGNATURES, "proof", `has more than ${MOST_SIGNATURES} signatures`);
    const signatures = lines.map((line) => {
      const found = /^— ([^ +]+) ([A-Za-z0-9+/=]+)$/u.exec(line);
      const bytes = found ? unbase64(found[2]) : null;
      need(bytes !== null && bytes.length >= 5, "proof", "has a line that is no signature");
      return { name: found[1], id: hex(bytes.subarray(0, 4)), signature: bytes.subarray(4) };
    });
    return { origin, size: Number(size), root: unbase64(root), text: signed, signatures };
  }

  const keyId = async (origin, key) =>
    hex((await own.sha256(utf8(origin), Uint8Array.of(10), ED25519, key)).subarray(0, 4));

  /** Whether a key signed a checkpoint as the log of that name. */
  async function vouches(key, checkpoint) {
    const id = await keyId(checkpoint.origin, key);
    for (const { name, id: said, signature } of checkpoint.signatures) {
      if (name !== checkpoint.origin || said !== id) continue;
      if (await own.signedBy(key, signature, utf8(checkpoint.text))) return true;
    }
    return false;
  }

  /** The parts of a tlog-proof. Throws Wrong. */
  function proofIn(bytes) {
    const source = text(bytes);
    const place = source.indexOf("\n\n");
    need(place !== -1, "proof", "is no proof");
    const [head, extra, index, ...path] = source.slice(0, place).split("\n");
    const leaf = extra?.startsWith("extra ") ? unbase64(extra.slice(6)) : null;
    const number = index?.startsWith("index ") ? index.slice(6) : "";
    need(
      head === "c2sp.org/tlog-proof@v1" && leaf !== null && isNumber(number),
      "proof",
      "is no proof",
    );
    const hashes = path.map(unbase64);
    need(
      hashes.length < 64 && hashes.every((each) => each?.length === 32),
      "proof",
      "has no path of hashes",
    );
    return {
      leaf,
      index: Number(number),
      path: hashes,
      checkpoint: checkpointIn(source.slice(place + 2)),
    };
  }

  const LEAF_MEMBERS = ["first", "head_after", "head_before", "kind", "last", "match_id"];

  /** What a leaf of a match says. Throws Wrong. */
  function entryIn(leaf) {
    const entry = own.parseCanonical(leaf);
    const sound =
      own.hasOnly(entry, LEAF_MEMBERS) &&
      entry.kind === "match" &&
      own.isUuid(entry.match_id) &&
      own.isHex(entry.head_before) &&
      own.isHex(entry.head_after) &&
      Number.isSafeInteger(entry.first) &&
      Number.isSafeInteger(entry.last) &&
      entry.first >= 1 &&
      entry.last >= entry.first;
    need(sound, "proof", "has a leaf that is no entry of a match");
    return entry;
  }

  /**
   * Checks a proof against the log it is of: {checkpoint, first, last}. `keys` are the bundle's own for
   * checkpoints, `trusted` as of trustedIn, or null. Throws Wrong.
   */
  async function checkProof(bytes, { id, heads, genesis, keys, trusted, hasKeys }) {
    const proof = proofIn(bytes);
    const { checkpoint } = proof;
    if (hasKeys) await needSigned(checkpoint, keys, trusted);
    const made = await rootOf(await leafHash(proof.leaf), proof.index, checkpoint.size, proof.path);
    need(
      made !== null && equal(made, checkpoint.root),
      "proof",
      "does not lead to the signed root",
    );
    const entry = entryIn(proof.leaf);
    need(entry.match_id === id, "proof", "is of another match");
    const other = "is not the one in the log of all matches";
    need(
      entry.last <= heads.length,
      "proof",
      `is missing: the log of all matches goes to ${entry.last}`,
      `event ${heads.length + 1}`,
    );
    need(hex(heads[entry.last - 1]) === entry.head_after, "proof", other, `event ${entry.last}`);
    const before = entry.first === 1 ? genesis : heads[entry.first - 2];
    need(hex(before) === entry.head_before, "proof", other, `event ${entry.first - 1}`);
    return { checkpoint, first: entry.first, last: entry.last };
  }

  async function needSigned(checkpoint, keys, trusted) {
    for (const key of keys) {
      need(
        await vouches(key.bytes, checkpoint),
        "proof",
        "is not signed by every key of keys.json",
      );
    }
    if (trusted === null) return;
    let found = false;
    for (const { origin = null, bytes, purpose } of trusted) {
      if (purpose !== "checkpoints" || (origin !== null && origin !== checkpoint.origin)) continue;
      found ||= await vouches(bytes, checkpoint);
    }
    need(found, "proof", "is signed by no key you trust, or of another log");
  }

  // Keys

  const BUNDLED = ["checkpoints", "receipts"];
  const OWN_MEMBERS = ["alg", "crv", "kid", "kty", "purpose", "use", "x"];

  /** The keys of keys.json. Throws Wrong. */
  async function bundledKeys(bytes) {
    const told = own.parseCanonical(bytes);
    need(
      own.hasOnly(told, ["keys"]) && Array.isArray(told.keys) && told.keys.length > 0,
      "keys",
      "is no set of keys",
    );
    const keys = [];
    for (const key of told.keys) {
      const sound = own.hasOnly(key, OWN_MEMBERS) && key.alg === "EdDSA" && key.use === "sig";
      need(
        sound && BUNDLED.includes(key.purpose),
        "keys",
        "has a key that signs nothing in a bundle",
      );
      keys.push(await keyIn(key));
    }
    const kids = keys.map((key) => key.kid);
    need(
      kids.every((kid, place) => place === 0 || kid > kids[place - 1]),
      "keys",
      "is not in its order",
    );
    return keys;
  }

  async function keyIn(key) {
    const bytes = own.isObject(key) ? unbase64url(key.x) : null;
    const sound = bytes?.length === 32 && key.kty === "OKP" && key.crv === "Ed25519";
    need(sound && key.kid === (await own.thumbprint(key.x)), "keys", "has a key that is none");
    return {
      kid: key.kid,
      bytes,
      purpose: key.purpose,
      created: key.created_at ?? null,
      retired: key.retired_at ?? null,
      origin: null,
    };
  }

  async function verifierKeyIn(line) {
    // Base64 may hold a plus of its own: only the first two divide.
    const first = line.indexOf("+"),
      second = line.indexOf("+", first + 1);
    const origin = line.slice(0, first),
      id = line.slice(first + 1, second);
    const bytes = unbase64(line.slice(second + 1));
    const sound = first > 0 && second > first && bytes?.length === 33 && bytes[0] === 1;
    need(
      sound && id === (await keyId(origin, bytes.subarray(1))),
      "keys",
      "has a line that is no verifier key",
    );
    const key = bytes.subarray(1);
    return {
      kid: await own.thumbprint(base64url(key)),
      bytes: key,
      purpose: "checkpoints",
      created: null,
      retired: null,
      origin,
    };
  }

  async function verifierKeysIn(lines) {
    need(lines.length > 0, "keys", "has no key");
    return Promise.all(lines.map(verifierKeyIn));
  }

  /** Whether it is what GET /v1/log answers. */
  const isLog = ({ verifier_keys: lines }) =>
    Array.isArray(lines) && lines.every((each) => typeof each === "string");

  /** Keys of a JWK set, of verifier keys, a line each, or of an answer of GET /v1/log. Throws Wrong. */
  async function trustedIn(bytes) {
    const source = text(bytes).trim();
    need(source.length < MOST_TEXT, "keys", "is too long for keys");
    if (!source.startsWith("{")) return verifierKeysIn(source.split(/\s+/).filter(Boolean));
    const told = own.parse(source);
    if (isLog(told)) return verifierKeysIn(told.verifier_keys);
    need(Array.isArray(told.keys), "keys", "has no key");
    const named = told.keys.filter((key) => own.isObject(key) && "purpose" in key);
    const keys = await Promise.all(named.map(givenKeyIn));
    const isOne = ({ purpose }) => BUNDLED.includes(purpose);
    need(keys.some(isOne), "keys", "has no key for checkpoints or receipts");
    return keys;
  }

  /** A key of a JWK set of the service, whatever that calls it. Throws Wrong. */
  async function givenKeyIn(key) {
    const isTime = (value) => Number.isSafeInteger(value);
    const { created_at, retired_at = null, purpose, x } = key;
    const isOfThen = isTime(created_at) && (retired_at === null || isTime(retired_at));
    need(isOfThen && PURPOSES.includes(purpose), "keys", "has a key without a purpose or a time");
    return keyIn({ ...key, kid: typeof x === "string" ? await own.thumbprint(x) : null });
  }

  Object.assign(own, {
    checkProof,
    bundledKeys,
    trustedIn,
    checkpointIn,
    vouches,
    rootOf,
    leafHash,
    nodeHash,
    proofIn,
  });
})((globalThis.PlyscribeVerifier ??= {}));
