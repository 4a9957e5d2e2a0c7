// SHA-256, HMAC and Ed25519 of WebCrypto, and the commitments of a log made of them.
(function (own) {
  "use strict";

  const { joined, prefixed, u16, u64, utf8, unhex, base64url } = own;
  const BLOCK = 64; // bytes
  const subtle = globalThis.crypto?.subtle;

  const sha256 = async (...parts) =>
    new Uint8Array(await subtle.digest("SHA-256", joined(...parts)));

  function padded(key, byte) {
    const made = new Uint8Array(BLOCK).fill(byte);
    for (let place = 0; place < key.length; place += 1) made[place] ^= key[place];
    return made;
  }

  /**
   * HMAC-SHA256 (RFC 2104) under a key of at most 64 bytes, which all keys here are. Out of two
   * digests: to make a CryptoKey for each of thousands of keys takes several times as long.
   */
  async function hmac(key, ...parts) {
    return sha256(padded(key, 0x5c), await sha256(padded(key, 0x36), ...parts));
  }

  /** Whether a signature is one of these 32 bytes of a public key. */
  async function signedBy(key, signature, data) {
    if (key === null || signature === null || key.length !== 32 || signature.length !== 64)
      return false;
    try {
      const made = await subtle.importKey("raw", key, "Ed25519", false, ["verify"]);
      return await subtle.verify("Ed25519", made, signature, data);
    } catch (error) {
      // What is no point of the curve can't have signed anything.
      if (error.name === "NotSupportedError") throw error;
      return false;
    }
  }

  let ed25519 = null;

  /** Whether this machine can check signatures at all: asked once, with a signature that is right. */
  function hasEd25519() {
    ed25519 ??= (async () => {
      const key = unhex("03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8");
      try {
        await subtle.importKey("raw", key, "Ed25519", false, ["verify"]);
        return true;
      } catch {
        return false;
      }
    })();
    return ed25519;
  }

  /** RFC 7638: the name of an Ed25519 key. */
  const thumbprint = async (x) =>
    base64url(await sha256(utf8(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`)));

  const facetSalt = (eventSalt, index) => hmac(eventSalt, utf8("facet"), u16(index));

  const commitment = (salt, id, version, index, facet) =>
    hmac(salt, utf8("plyscribe/facet/1"), id, u64(version), u16(index), facet);

  const link = (before, version, facets) =>
    sha256(utf8("plyscribe/event/1"), before, u64(version), facets);

  const genesis = (id, seats, format) =>
    sha256(utf8("plyscribe/genesis/1"), id, u16(seats), u16(format));

  const seedCommitment = (id, seed) => sha256(utf8("plyscribe/seed/1"), id, seed);

  /** `contributions` is the canonical JSON of what the seats put in. */
  const matchSeed = (seed, contributions) =>
    hmac(seed, utf8("plyscribe/match-seed/1"), contributions);

  const entropyCommitment = (id, seat, opening) =>
    sha256(utf8("plyscribe/entropy/1"), id, u16(seat), opening);

  const answerSalt = (seed, id, decision) =>
    hmac(seed, prefixed("plyscribe/answer/1", id, decision));

  /** What a key of the service signs. */
  const signable = (purpose, tag, payload) =>
    prefixed("plyscribe/signature/1", purpose, tag, payload);

  /** Big-endian words of a draw's stream, as many as are asked for. */
  async function* words(seed, label, redraw, offer) {
    for (let block = 0; ; block += 1) {
      const data = prefixed("plyscribe/stream/1", "draw/1", label, redraw, offer, block);
      const bytes = await hmac(seed, data);
      for (let place = 0; place < 32; place += 2) yield bytes[place] * 256 + bytes[place + 1];
    }
  }

  async function below(stream, bound) {
    if (bound === 1) return 0;
    for (;;) {
      const word = (await stream.next()).value;
      if (word < 65536 - (65536 % bound)) return word % bound;
    }
  }

  /** The picks of a draw of `count` out of `options`, 1 to 65536, each at most once. */
  async function picks(seed, label, redraw, offer, options, count) {
    const stream = words(seed, label, redraw, offer);
    const moved = new Map(); // what no longer stands at the place of its own number
    const at = (place) => moved.get(place) ?? place;
    const found = [];
    for (let last = options - 1; last >= options - count; last -= 1) {
      const other = await below(stream, last + 1);
      found.push(at(other));
      moved.set(other, at(last));
    }
    return found.reverse();
  }

  Object.assign(own, {
    sha256,
    hmac,
    signedBy,
    hasEd25519,
    thumbprint,
    facetSalt,
    commitment,
    link,
    genesis,
    seedCommitment,
    matchSeed,
    entropyCommitment,
    answerSalt,
    signable,
    words,
    picks,
  });
})((globalThis.PlyscribeVerifier ??= {}));
