// One bundle: everything in it held against everything else, without the rules of a game.
(function (own) {
  "use strict";

  const { Wrong, need, at, hex, uuid, equal, unhex, isHex, isUuid, isObject, hasOnly } = own;
  const { canonical, parseCanonical, unzipped, Life, Secrets } = own;
  const MANIFEST = "manifest.json";
  const FACTS = ["data_digest", "events", "format", "game", "head", "match_id", "members",
    "perspective", "rules_version", "seats"];
  const RULES = {
    full: "legality of moves, offers, decisions asked, the outcome, what other viewers were shown: that needs the rules",
    shown: "moves, what was drawn, what other viewers were shown, the outcome: only the full bundle shows them",
  };

  function manifestIn(bytes, members) {
    const told = parseCanonical(bytes);
    need(hasOnly(told, FACTS), "manifest", "has other members than a manifest has");
    const isCount = (value) => Number.isSafeInteger(value) && value >= 1;
    const sound =
      told.format === "plyscribe/bundle/1" && isUuid(told.match_id) && typeof told.game === "string" &&
      isCount(told.rules_version) && (told.data_digest === "" || isHex(told.data_digest)) &&
      isCount(told.seats) && told.seats < 65536 && isCount(told.events) && isHex(told.head) && isObject(told.members);
    need(sound, "manifest", "has members of another kind");
    const listed = Object.keys(told.members);
    const others = [...members.keys()].filter((name) => name !== MANIFEST);
    for (const name of others) need(listed.includes(name), "member", "is not in the manifest", name);
    for (const name of listed) {
      const each = told.members[name];
      need(others.includes(name), "member", "is missing", own.ORDER.includes(name) ? name : MANIFEST);
      need(hasOnly(each, ["sha256", "size"]) && isHex(each.sha256), "manifest", "describes a member otherwise");
    }
    return told;
  }

  /** The first member that is not what the manifest or the zip says, or null. */
  async function firstDamaged({ members, damaged }, manifest) {
    for (const [name, content] of members) {
      if (name !== MANIFEST) {
        const { size, sha256 } = manifest.members[name];
        const holds = size === content.length && hex(await own.sha256(content)) === sha256;
        if (!holds) return new Wrong("member", "is not what the manifest says", name);
      }
      if (damaged.includes(name)) return new Wrong("member", "has another checksum", name);
    }
    return null;
  }

  /** The seed a log opens, once it fits its commitment; null before the reveal. Throws Wrong. */
  async function seedIn(events) {
    const created = events[0];
    const reveal = events.find((event) => event.kind === "match_revealed");
    if (reveal === undefined) return null;
    const bound = uuid(created.deal_group ?? created.match_id);
    const made = hex(await own.seedCommitment(bound, unhex(reveal.seed)));
    if (made !== created.seed_commitment) throw new Wrong("seed", "opens another seed than was committed to", `event ${reveal.version}`);
    return unhex(reveal.seed);
  }

  async function checkPlay({ events, heads, limit }, viewer, found, hasKeys, progress) {
    const [created] = events;
    let seedFault = null;
    const seed = await seedIn(events).catch((error) => {
      if (!(error instanceof Wrong)) throw error;
      seedFault = error;
      return null;
    });
    const life = new Life(created);
    const secrets = new Secrets({ created, life, seed, heads, viewer, hasKeys });
    for (const event of events) {
      await at(`event ${event.version}`, async () => {
        if (seedFault?.place === `event ${event.version}`) throw seedFault;
        life.step(event);
        await secrets.check(event);
      });
      if (event.version % 64 === 0) await progress(event.version, events.length);
    }
    // What a viewer saw may be cut off anywhere; a log ends where nothing has to follow.
    if (limit === null && viewer === "full") await at(`event ${events.length + 1}`, () => life.finish());
    if (limit !== null) found.unchecked.push(`everything from event ${limit} on: it is of a newer release`);
    found.checked.push("following", ...secrets.done);
    if (seed !== null) found.checked.push("seed");
    else found.unchecked.push("the seed, draws and answers that were not shown: the match is not revealed");
    return seed;
  }

  async function checkMembers(members, created, seed) {
    const options = members.get("options.json");
    need(equal(options, canonical(created.options)), "options", "are not those of event 1", "options.json");
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
      need(manifest[name] === created[name], "manifest", `has another ${name} than event 1`, MANIFEST);
    }
    need(manifest.events === heads.length, "manifest", "has another number of events", MANIFEST);
    need(manifest.head === hex(heads[heads.length - 1]), "manifest", "has another head", MANIFEST);
  }

  async function checkLog(members, { heads, created }, options, found) {
    const keysFile = members.get("keys.json"), proofFile = members.get("proof.tlog-proof");
    const keys = keysFile === undefined ? [] : await at("keys.json", () => own.bundledKeys(keysFile));
    if (proofFile === undefined) {
      found.unchecked.push("that it is in the log of all matches: there is no proof in the bundle");
      return;
    }
    need(keys.length > 0, "keys", "are missing, of the proof that is there", "keys.json");
    const id = created.match_id;
    const genesis = await own.genesis(uuid(id), created.seats, created.format);
    const given = { id, heads, genesis, keys, trusted: options.trusted, hasKeys: options.hasKeys };
    const { checkpoint, last } = await at("proof.tlog-proof", () => own.checkProof(proofFile, given));
    found.checkpoint = checkpoint;
    found.checked.push("proof");
    if (last < heads.length) found.unchecked.push(`that events after ${last} are in the log of all matches`);
    if (options.hasKeys && options.trusted === null) {
      found.unchecked.push("whose log the proof is of: the keys are the bundle's own, none were given");
    }
  }

  async function checkAll(data, options, found) {
    const zip = unzipped(data);
    const { members } = zip;
    const manifest = await at(MANIFEST, () => manifestIn(members.get(MANIFEST), members));
    const viewer = own.viewerIn(manifest.perspective, manifest.seats);
    Object.assign(found, {
      match_id: manifest.match_id, perspective: manifest.perspective, events: manifest.events, head: manifest.head,
    });
    const damaged = await firstDamaged(zip, manifest);
    try {
      await checkContent(members, manifest, viewer, options, found);
    } catch (error) {
      // What is wrong within a damaged member says more than that it is damaged.
      if (damaged === null || (error instanceof Wrong && error.place?.startsWith("event "))) throw error;
    }
    if (damaged !== null) throw damaged;
    found.checked.push("manifest");
  }

  async function checkContent(members, manifest, viewer, options, found) {
    const { progress } = options;
    const { seats } = manifest;
    const read = await own.readColumns(members, viewer, seats, progress);
    if (read.fault !== null) throw read.fault;
    found.checked.push("chain", "facets");
    const [created] = read.events;
    found.log = { ...read, created, viewer, facets: members.get("facets.bin") };
    if (members.has("texts.ndjson")) {
      await at("texts.ndjson", () => own.checkTexts(members.get("texts.ndjson"), read));
      found.checked.push("texts");
    }
    const seed = await checkPlay(read, viewer, found, options.hasKeys, progress);
    found.unchecked.push(viewer === "full" ? RULES.full : RULES.shown);
    checkFacts(manifest, created, read.heads);
    await checkMembers(members, created, read.limit === null ? seed : undefined);
    found.checked.push("options");
    if (!options.hasKeys) found.unchecked.push("signatures: Ed25519 is not in this browser's WebCrypto");
    await checkLog(members, { heads: read.heads, created }, options, found);
  }

  const nothing = async () => {};

  /**
   * What is wrong with a bundle, what holds, and what can't be checked. Never throws for what is in
   * the bytes. `trusted` are keys of trustedIn, or null; `progress(done, of)` may be asynchronous.
   */
  async function verifyBundle(data, { trusted = null, progress = nothing } = {}) {
    const found = {
      ok: false, match_id: null, perspective: null, events: null, head: null,
      place: null, code: null, reason: null, checked: [], unchecked: [], log: null, checkpoint: null,
    };
    try {
      await checkAll(data, { trusted, progress, hasKeys: await own.hasEd25519() }, found);
      found.ok = true;
    } catch (error) {
      if (!(error instanceof Wrong)) throw error;
      Object.assign(found, { place: error.place ?? "zip", code: error.code, reason: error.message });
    }
    return found;
  }

  Object.assign(own, { verifyBundle });
})((globalThis.PlyscribeVerifier ??= {}));
