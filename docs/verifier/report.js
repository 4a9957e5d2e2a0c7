// All files together: each checked, all held against each other, and what is said of it.
(function (own) {
  "use strict";

  const MOST_BYTES = 256 * 1024 * 1024;
  const isZip = (bytes) => bytes[0] === 0x50 && bytes[1] === 0x4b;
  const fault = (place, code, reason) => ({ place, code, reason });

  /** A file as it is told: the members that `plyscribe verify --json` has, in their order. */
  function told({ file, bytes }, found) {
    const { match_id = null, perspective = null, events = null, head = null } = found;
    const { faults, checked, unchecked, documents = [] } = found;
    return {
      file,
      kind: isZip(bytes) ? "bundle" : "evidence",
      ok: faults.length === 0,
      match_id,
      perspective,
      events,
      head,
      documents: documents.length,
      faults,
      checked,
      unchecked,
    };
  }

  const tooLarge = () => ({
    faults: [fault("file", "size", `has more than ${MOST_BYTES} bytes`)],
    checked: [],
    unchecked: [],
  });

  /** What is wrong with a file that can't even be opened, or null. */
  function closed({ bytes, unread }) {
    if (unread !== undefined)
      return { faults: [fault("file", "unreadable", unread)], checked: [], unchecked: [] };
    return bytes.length > MOST_BYTES ? tooLarge() : null;
  }

  async function ofBundle(each, trusted, options) {
    return closed(each) ?? own.verifyBundle(each.bytes, { ...options, trusted });
  }

  async function ofDocuments(each, keys, isTrusted) {
    const receipts = keys.filter((key) => key.purpose === "receipts");
    const known = receipts.length > 0 ? receipts : null;
    return closed(each) ?? own.verifyEvidence(each.bytes, known, isTrusted);
  }

  /** Keys as the files themselves tell of them: those of sound bundles, and of saved statements. */
  async function broughtBy(found, saved) {
    const sound = [...found.values()].filter(({ faults }) => faults.length === 0);
    const keys = sound.flatMap(({ brought = [] }) => brought);
    if (!(await own.hasEd25519())) return keys;
    for (const each of own.grouped(saved, ({ file }) => file).values()) {
      const rows = each.map(({ row }) => row);
      const first = own.firstKey(rows);
      if (first !== null) keys.push(...(await own.followed([first], rows)).keys);
    }
    return keys;
  }

  /** The statements in files beside bundles: {file, row} each. */
  function savedIn(given) {
    const kept = given.filter(({ bytes }) => !isZip(bytes) && bytes.length <= MOST_BYTES);
    return own.stated(
      kept.flatMap(({ file, bytes }) => own.statementsIn(bytes).map((row) => ({ file, row }))),
    );
  }

  /**
   * The keys that statements lead to, and what of them can't be. Signatures have to be there to be
   * followed.
   */
  async function led(trusted, saved) {
    if (trusted === null || saved.length === 0 || !(await own.hasEd25519()))
      return { known: trusted, forks: [] };
    const files = new Map(saved.map(({ file, row }) => [row, file]));
    const { keys, forks } = await own.followed(trusted, [...files.keys()]);
    const told = forks.map((rows) => ({
      match_id: null,
      code: "fork",
      reason: `the log says two things at position ${rows[0].position}`,
      places: [...new Set(rows.map((row) => files.get(row)))],
    }));
    return { known: keys, forks: told };
  }

  /**
   * What is found of each bundle under the keys that saved files lead to, and the keys that these and
   * the sound bundles lead to together.
   */
  async function foundBundles(given, trusted, saved, progress) {
    const { known } = await led(trusted, saved);
    const stated = known === null ? [] : saved.map(({ row }) => row);
    const found = new Map(),
      rows = [...saved];
    for (const each of given.filter(({ bytes }) => isZip(bytes))) {
      const options = { stated, progress: (done, of) => progress(each.file, done, of) };
      const own_ = await ofBundle(each, known, options);
      found.set(each, own_);
      if (own_.faults.length === 0)
        rows.push(...own_.statements.map((row) => ({ file: each.file, row })));
    }
    return { found, ...(await led(trusted, rows)) };
  }

  /** A reveal that did not come: said of the longest log of each match, as shorter ones may be older. */
  function noteOverdue(bundles, now) {
    const longest = new Map();
    for (const { found } of bundles) {
      const known = longest.get(found.match_id);
      if (known === undefined || known.events < found.events) longest.set(found.match_id, found);
    }
    for (const found of longest.values()) {
      if (found.latest === null || now <= found.latest) continue;
      const place = `event ${found.events + 1}`;
      found.faults.push(fault(place, "overdue", "by then the match had to be revealed"));
    }
  }

  /**
   * The verdict on files, each {file, bytes} (and `unread`, why there are none): {ok, files, contradictions, unchecked}. `trusted` are
   * the keys of trustedIn, or null; `now` (ms) is when the files were got, null for a time before any
   * reveal is overdue; `progress(file, done, of)` may be asynchronous.
   */
  async function verifyFiles(given, trusted = null, { progress = async () => {}, now = null } = {}) {
    const saved = await savedIn(given);
    const { known, forks, found } = await foundBundles(given, trusted, saved, progress);
    const keys = known ?? (await broughtBy(found, saved));
    for (const each of given)
      if (!found.has(each)) found.set(each, await ofDocuments(each, keys, known !== null));
    const all = given.map((each) => ({ each, found: found.get(each) }));
    const bundles = all
      .filter((one) => one.found.log && one.found.faults.length === 0)
      .map((one) => ({ file: one.each.file, found: one.found }));
    if (now !== null) noteOverdue(bundles, now);
    const documents = all.flatMap(({ each, found: { documents: own_ = [], faults } }) =>
      isZip(each.bytes) && faults.length > 0
        ? [] // An unsound bundle's are nobody's word.
        : own_.map((document) => ({ file: each.file, ...document })),
    );
    const sound = bundles.filter(({ found }) => found.faults.length === 0);
    const { contradictions, unchecked } = await own.compare(sound, documents, known ?? []);
    const files = all.map((one) => told(one.each, one.found));
    const both = [...forks, ...contradictions];
    const ok = both.length === 0 && files.every((each) => each.ok);
    return { ok, files, contradictions: both, unchecked };
  }

  /** Whether a file could not be read, which says nothing of what is in it. */
  const isUnread = ({ faults }) => faults.some(({ code }) => code === "unreadable");

  /** How it ended: 0 if nothing is wrong, 1 if something is, 2 if else something can't be read. */
  function exitCode({ ok, files, contradictions }) {
    if (ok) return 0;
    return contradictions.length > 0 || files.some((each) => !each.ok && !isUnread(each)) ? 1 : 2;
  }

  const ENDS = ["nothing is wrong", "it does not hold", "it can't all be read"];

  function titleOf(each) {
    if (each.ok) return "all that can be checked holds";
    if (isUnread(each)) return "can't be read";
    return `WRONG at ${each.faults.map(({ place }) => place).join(", ")}`;
  }

  function linesOf(each) {
    const lines = [`${each.file}: ${titleOf(each)}`];
    if (each.match_id) {
      lines.push(
        `  match ${each.match_id}, ${each.perspective}, ${each.events} events`,
        `  head ${each.head}`,
      );
    }
    if (each.documents > 0) lines.push(`  signed documents: ${each.documents}`);
    for (const { place, code, reason } of each.faults)
      lines.push(`  ${isUnread(each) ? "unread" : "wrong"}: ${place}: ${reason} (${code})`);
    if (each.checked.length > 0) lines.push(`  checked: ${each.checked.join(", ")}`);
    return [...lines, ...each.unchecked.map((limit) => `  not checked: ${limit}`)];
  }

  /** A report as lines for people. */
  function reportLines(report) {
    const { files, contradictions, unchecked } = report;
    return [
      ...files.flatMap(linesOf),
      ...contradictions.map(
        ({ places, reason, code }) => `WRONG together: ${places.join(" and ")}: ${reason} (${code})`,
      ),
      ...unchecked.map((limit) => `not checked: ${limit}`),
      ENDS[exitCode(report)],
    ];
  }

  /** The keys in a file that holds keys, or null. */
  async function keysIn(bytes) {
    if (isZip(bytes)) return null;
    try {
      return await own.trustedIn(bytes);
    } catch (error) {
      if (error instanceof own.Wrong) return null;
      throw error;
    }
  }

  Object.assign(own, { keysIn, verifyFiles, isUnread, exitCode, reportLines });
})((globalThis.PlyscribeVerifier ??= {}));
