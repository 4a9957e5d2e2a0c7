// The vectors of docs/log-format.md and docs/auditing.md, made anew by the verifier's own functions.
//
// Signatures can't be made here: of those it says whether they hold.
import { createRequire } from "node:module";

const load = createRequire(new URL("../../docs/verifier/verify.mjs", import.meta.url));
for (const part of ["bytes", "json", "hashes", "tlog", "evidence"]) load(`./${part}.js`);
const own = globalThis.PlyscribeVerifier;
const { hex, unhex, utf8, canonical, base64, unbase64, unbase64url } = own;

const given = JSON.parse(
  await new Promise((resolve) => {
    let text = "";
    process.stdin.on("data", (piece) => (text += piece)).on("end", () => resolve(text));
  }),
);
const id = own.uuid("01890a5d-ac96-774b-bcce-b302099a8057");
const plain = Uint8Array.from({ length: 32 }, (_, byte) => byte);
const times = (byte) => new Uint8Array(32).fill(byte);

async function ofTheLog({ body, salt, facets }, eighth, offer, seed) {
  const first = own.parse(body),
    key = await own.matchSeed(unhex(seed), utf8("[]"));
  const digest = await own.sha256(canonical(offer));
  const stream = own.words(key, "round 1 deal", 0, digest),
    words = [];
  for (let word = 0; word < 16; word += 1) {
    words.push((await stream.next()).value.toString(16).padStart(4, "0"));
  }
  const before = await own.genesis(id, first.seats, first.format);
  const { data } = {
    data: Object.fromEntries(
      Object.entries(first).filter(([name]) => !["version", "kind", "at", "schema"].includes(name)),
    ),
  };
  const shown = canonical({ version: 1, kind: first.kind, at: first.at, data });
  const eight = own.parse(eighth),
    answer = await own.answerSalt(key, id, eight.decision);
  return {
    "match id": first.match_id,
    "plain: facet salt 2": hex(await own.facetSalt(plain, 2)),
    "plain: commitment 2 of {} in version 7": hex(
      await own.commitment(await own.facetSalt(plain, 2), id, 7, 2, utf8("{}")),
    ),
    "plain: seed commitment": hex(await own.seedCommitment(id, plain)),
    "plain: match seed": hex(await own.matchSeed(plain, utf8("[]"))),
    "plain: text digest of Ü": hex(await own.hmac(plain, utf8("Ü"))),
    "hash before 1": hex(before),
    "event 1: salt": salt,
    "event 1: commitment 0": hex(
      await own.commitment(await own.facetSalt(unhex(salt), 0), id, 1, 0, shown),
    ),
    "event 1: hash": hex(await own.link(before, 1, unhex(facets))),
    seed,
    "match seed": hex(key),
    "offer digest": hex(digest),
    words: words.join(" "),
    picks: (await own.picks(key, "round 1 deal", 0, digest, 10, 10)).join(" "),
    "event 8: move": own.canonicalText(eight.move),
    [`event 8: answer salt of ${eight.decision}`]: hex(answer),
    "event 8: sealed": hex(await own.hmac(answer, canonical(eight.move))),
  };
}

async function ofAllMatches(told, proof) {
  const key = unhex(told["public key"]);
  const leaves = [0, 1, 2].map((n) => own.parse(told[`leaf ${n}`]));
  const hashes = await Promise.all(leaves.map((leaf) => own.leafHash(canonical(leaf))));
  const two = await own.nodeHash(hashes[0], hashes[1]),
    three = await own.nodeHash(two, hashes[2]);
  const { checkpoint, path, index, leaf } = own.proofIn(utf8(proof));
  const [trusted] = await own.trustedIn(utf8(told["verifier key"]));
  const led = await own.rootOf(hashes[2], 2, 3, [two]);
  const statement = own.signable("checkpoints", "plyscribe/statement/1", canonical(leaves[0]));
  const [{ id: named, signature }] = checkpoint.signatures;
  return {
    "public key": hex(trusted.bytes),
    kid: await own.thumbprint(own.base64url(key)),
    ...Object.fromEntries(leaves.map((each, n) => [`leaf ${n}`, own.canonicalText(each)])),
    ...Object.fromEntries(hashes.map((each, n) => [`leaf hash ${n}`, hex(each)])),
    "root of 2": hex(two),
    "root of 3": hex(led),
    "inclusion of leaf 2 in 3": hex(path[0]),
    'signed bytes of {"version":7} as a receipt': hex(
      own.signable("receipts", "plyscribe/receipt/1", utf8('{"version":7}')),
    ),
    "checkpoint signature": base64(Uint8Array.from([...unhex(named), ...signature])),
    holds: [
      hex(three) === hex(checkpoint.root),
      index === 2,
      own.equal(leaf, canonical(leaves[2])),
      await own.vouches(key, checkpoint),
      await own.signedBy(key, unbase64url(told["signature of leaf 0 as a statement"]), statement),
      own.equal(unbase64(told["checkpoint signature"]).subarray(4), signature),
    ],
  };
}

async function ofEvidence(told, key) {
  const signed = (name, tag) =>
    own.signedBy(
      key,
      unbase64url(told[`signature of the ${name}`]),
      own.signable("receipts", tag, utf8(told[name])),
    );
  const committed = await own.hmac(times(2), utf8(told.move));
  const bytes = own.prefixed("plyscribe/move/1", id, "7.0", committed, 7, unhex("b2".repeat(32)));
  const contributions = own.canonicalText([hex(times(3)), null]);
  return {
    receipt: own.canonicalText(own.parse(told.receipt)),
    head: own.canonicalText(own.parse(told.head)),
    "link of {}": await own.linkOf({}),
    "submitted {} under 02…": hex(await own.hmac(times(2), utf8("{}"))),
    move: own.canonicalText(own.parse(told.move)),
    "committed under 02…": hex(committed),
    "signed bytes": hex(bytes),
    "commitment of seat 0 to 03…": hex(await own.entropyCommitment(id, 0, times(3))),
    contributions,
    "match seed of 00 01 … 1f with them": hex(await own.matchSeed(plain, utf8(contributions))),
    holds: [
      await signed("receipt", "plyscribe/receipt/1"),
      await signed("head", "plyscribe/head/1"),
      await own.signedBy(
        unbase64url(told["seat key"]),
        unbase64url(told["signature of the move"]),
        bytes,
      ),
    ],
  };
}

const { all, proof, evidence, first, eighth, offer, seed } = given;
process.stdout.write(
  JSON.stringify({
    log: await ofTheLog(first, eighth, offer, seed),
    all: await ofAllMatches(all, proof),
    evidence: await ofEvidence(evidence, unhex(all["public key"])),
  }),
);
