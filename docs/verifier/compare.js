// Files held against each other: bundles of one match or deal group, checkpoints, signed documents.
(function (own) {
  "use strict";

  const { equal, grouped, hex } = own;
  const NO_LINK = "0".repeat(64);
  const SKEW = 60_000; // ms: how far apart the clocks of the service may be
  // What does not say when it was signed.
  const TIMELESS = ["plyscribe/view/1", "plyscribe/decision/1", "plyscribe/head/1"];

  /** What can't be true together: `match_id` and `version` are null where it is of all matches. */
  const fork = (match_id, version, code, reason, ...places) => ({
    match_id,
    code,
    reason: version === null ? reason : `version ${version}: ${reason}`,
    places,
  });

  function parted(one, other) {
    const both = Math.min(one.heads.length, other.heads.length);
    for (let place = 0; place < both; place += 1) {
      if (!equal(one.heads[place], other.heads[place])) return place + 1;
    }
    return one.created.seats === other.created.seats ? null : 1;
  }

  function forkOf(one, other) {
    const [first, second] = [one.found.log, other.found.log];
    if (first.created.match_id === second.created.match_id) {
      const version = parted(first, second);
      if (version !== null)
        return fork(first.created.match_id, version, "fork", "two logs", one.file, other.file);
    } else if (
      first.created.deal_group !== null &&
      first.created.deal_group === second.created.deal_group
    ) {
      if (first.created.seed_commitment !== second.created.seed_commitment) {
        const reason = "one deal group, and commitments to two seeds";
        return fork(null, 1, "fork", reason, one.file, other.file);
      }
    }
    const reason = "one size of the log of all matches with two roots";
    const [a, b] = [one.found.checkpoint, other.found.checkpoint];
    return haveTwoRoots(a, b) && areOfOneLog(a, b)
      ? fork(null, null, "fork", reason, one.file, other.file)
      : null;
  }

  function haveTwoRoots(one, other) {
    if (one === null || other === null) return false;
    return one.origin === other.origin && one.size === other.size && !equal(one.root, other.root);
  }

  /** Whether checkpoints of one name are of one log: whoever likes can give a log a name. */
  function areOfOneLog(one, other) {
    const isOfOneKey = one.signers.some((kid) => other.signers.includes(kid));
    return isOfOneKey || (one.isTrusted && other.isTrusted);
  }

  const pairsOf = (values) =>
    values.flatMap((one, place) => values.slice(place + 1).map((other) => [one, other]));

  const forksOfBundles = (bundles) =>
    pairsOf(bundles)
      .map(([one, other]) => forkOf(one, other))
      .filter((made) => made !== null);

  /** The version a document fixes the hash of. */
  const versionOf = ({ payload }) => payload.last ?? payload.version;

  // What must not be said twice in two ways: of each payload a name, by the tag.
  const NAMES = {
    "plyscribe/receipt/1": (p) =>
      p.decision === null ? null : `receipt of seat ${p.seat} for ${p.decision}`,
    "plyscribe/refusal/1": (p) => `refusal ${p.number} of seat ${p.seat}`,
    "plyscribe/view/1": (p) => `view of ${p.viewer} at ${p.version}, form ${p.form}`,
    "plyscribe/decision/1": (p) => `decision of ${p.viewer} at ${p.version}, form ${p.form}`,
    "plyscribe/head/1": () => null,
    "plyscribe/result/1": (p) => `result at ${p.version}, form ${p.form}`,
  };
  const saidIn = ({ payload }) => payload.body ?? own.canonicalText(payload);

  function conflicts(documents, nameOf, saidOf, code, reason) {
    const seen = new Map(),
      found = [];
    for (const each of documents) {
      const name = nameOf(each);
      if (name === null) continue;
      const key = `${each.payload.match_id} ${name}`;
      const first = seen.get(key);
      if (first === undefined) seen.set(key, each);
      else if (saidOf(first) !== saidOf(each))
        found.push(
          fork(
            each.payload.match_id,
            versionOf(each),
            code,
            `${name}: ${reason}`,
            first.file,
            each.file,
          ),
        );
    }
    return found;
  }

  /** Refusals that stand behind none that was signed with the number before theirs. */
  async function brokenLinks(documents) {
    const refusals = documents.filter((each) => each.tag === "plyscribe/refusal/1");
    const key = ({ match_id, seat }, number) => `${match_id} ${seat} ${number}`;
    const known = new Map(); // by number the file of the first, and the links of all
    for (const { file, payload } of refusals) {
      const name = key(payload, payload.number);
      if (!known.has(name)) known.set(name, { file, links: new Set() });
      known.get(name).links.add(await own.linkOf(payload));
    }
    const found = [];
    for (const { file, payload } of refusals) {
      const { match_id, number, prev, version } = payload;
      const before = known.get(key(payload, number - 1));
      if (number > 1 && before === undefined) continue;
      if (number === 1 ? prev === NO_LINK : before.links.has(prev)) continue;
      const reason = `refusal ${number} leaves out the one before it`;
      found.push(fork(match_id, version, "chain", reason, before?.file ?? file, file));
    }
    return found;
  }

  /** What is wrong with a document by a log of its match: [version, code, reason], or null. */
  function against({ tag, payload }, { heads, events, facets, created, life }) {
    const version = payload.last ?? payload.version;
    if (version <= heads.length && hex(heads[version - 1]) !== payload.head) {
      return [version, "head", "the log has another hash than was signed"];
    }
    if (tag !== "plyscribe/receipt/1") return null;
    if (version > heads.length) {
      return life.revealed ? [version, "head", "the log lacks what was acknowledged"] : null;
    }
    const event = events[payload.first - 1];
    if (event === undefined) return null; // of a newer release
    const width = 32 * (created.seats + 2);
    const start = width * (payload.first - 1) + 32 * (payload.seat + 1);
    const isOwn =
      payload.seat < created.seats &&
      hex(facets.subarray(start, start + 32)) === payload.commitment;
    const isPlayed = event.kind === "move_played" && event.by === "seat";
    const isThen = event.at === payload.at;
    const isThis = event.seat === payload.seat && event.decision === payload.decision;
    return isOwn && isPlayed && isThen && isThis
      ? null
      : [payload.first, "receipt", "the log has another event than was acknowledged"];
  }

  function lies(documents, bundles) {
    const found = [],
      open = new Set();
    const logs = grouped(bundles, (each) => each.found.log.created.match_id);
    for (const document of documents) {
      const own_ = logs.get(document.payload.match_id) ?? [];
      if (own_.length === 0)
        open.add("that what was signed is in the log: no bundle of that match was given");
      const longest = Math.max(...own_.map(({ found: f }) => f.log.heads.length));
      for (const { file, found: bundle } of own_) {
        const said = against(document, bundle.log);
        if (said !== null)
          found.push(fork(document.payload.match_id, ...said, document.file, file));
        else if (versionOf(document) > longest && bundle.log.heads.length === longest)
          open.add(`that version ${versionOf(document)} is in the log: ${file} ends before it`);
      }
    }
    return { found, open: [...open] };
  }

  /** What a retired key says of an event that came long after its retirement. */
  function late(documents, bundles, known) {
    const retired = new Map(known.map((key) => [key.kid, key.retired]));
    const longest = new Map();
    for (const { file, found: bundle } of bundles) {
      const { created, events } = bundle.log;
      const before = longest.get(created.match_id);
      if (before === undefined || before.events.length <= events.length)
        longest.set(created.match_id, { file, events });
    }
    const found = [];
    for (const { tag, payload, kid, file } of documents) {
      const log = longest.get(payload.match_id);
      const event = TIMELESS.includes(tag) ? log?.events[payload.version - 1] : undefined;
      const until = retired.get(kid) ?? null;
      if (event === undefined || until === null || event.at <= until + SKEW) continue;
      const reason = "a key that was retired before signed what is of it";
      found.push(fork(payload.match_id, payload.version, "late", reason, file, log.file));
    }
    return found;
  }

  /**
   * Everything that contradicts each other: {contradictions, unchecked}. `bundles` and `documents` are found
   * sound by themselves as far as that was checked; each names its `file`. `known` are keys that are trusted.
   */
  async function compare(bundles, documents, known) {
    const heads = conflicts(
      documents,
      (d) => `version ${versionOf(d)}`,
      (d) => d.payload.head,
      "fork",
      "two hashes were signed",
    );
    const twice = conflicts(
      documents,
      (d) => NAMES[d.tag](d.payload),
      saidIn,
      "twice",
      "two were signed",
    );
    const { found, open } = lies(documents, bundles);
    return {
      contradictions: [
        ...forksOfBundles(bundles),
        ...heads,
        ...twice,
        ...(await brokenLinks(documents)),
        ...late(documents, bundles, known),
        ...found,
      ],
      unchecked: [...open, ...unmade(documents), ...unjoined(bundles)],
    };
  }

  /** What of documents is not made again here. */
  function unmade(documents) {
    const tags = new Set(documents.map(({ tag }) => tag));
    const isShown = tags.has("plyscribe/view/1") || tags.has("plyscribe/decision/1");
    const sights =
      "that views and decisions are what the log says the viewer had to be shown: that needs the rules";
    const results = "that results follow from the log: they are not made again here";
    return [
      ...(isShown ? [sights] : []),
      ...(tags.has("plyscribe/result/1") ? [results] : []),
    ];
  }

  function unjoined(bundles) {
    const sizes = new Map();
    for (const { found } of bundles) {
      if (!found.checkpoint) continue;
      const { origin, size } = found.checkpoint;
      sizes.set(origin, (sizes.get(origin) ?? new Set()).add(size));
    }
    const grown = [...sizes]
      .filter(([, found]) => found.size > 1)
      .map(([origin]) => `that the signed roots of ${origin} continue each other`);
    const apart = pairsOf(bundles.map(({ found }) => found.checkpoint))
      .filter(([one, other]) => haveTwoRoots(one, other) && !areOfOneLog(one, other))
      .map(([{ origin }]) => origin);
    const whose = (origin) =>
      `whose log ${origin} is: bundles have two roots of one size, by different keys`;
    return [...grown, ...[...new Set(apart)].map(whose)];
  }

  Object.assign(own, { compare });
})((globalThis.PlyscribeVerifier ??= {}));
