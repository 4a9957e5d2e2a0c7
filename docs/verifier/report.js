// All files together: each checked, all held against each other, and what is said of it.
(function (own) {
  "use strict";

  const MOST_BYTES = 256 * 1024 * 1024;
  const isZip = (bytes) => bytes[0] === 0x50 && bytes[1] === 0x4b;

  function told({ log, checkpoint, documents, ...rest }, file) {
    return { file, ...rest, ...(documents === undefined ? {} : { documents: documents.length }) };
  }

  const tooLarge = {
    ok: false,
    place: "file",
    code: "size",
    reason: `has more than ${MOST_BYTES} bytes`,
    checked: [],
    unchecked: [],
  };

  async function checked({ file, bytes }, trusted, progress) {
    if (bytes.length > MOST_BYTES) return { ...tooLarge };
    if (isZip(bytes)) return own.verifyBundle(bytes, { trusted, progress });
    const receipts = trusted?.filter((key) => key.purpose === "receipts") ?? [];
    return own.verifyEvidence(bytes, receipts.length > 0 ? receipts : null);
  }

  /**
   * The verdict on files, each {file, bytes}: {ok, files, forks, unchecked}. `trusted` are the keys of
   * trustedIn, or null; `progress(file, done, of)` may be asynchronous.
   */
  async function verifyFiles(given, trusted = null, progress = async () => {}) {
    const files = [],
      bundles = [],
      documents = [];
    const checkpoints = trusted?.some((key) => key.purpose === "checkpoints") ? trusted : null;
    for (const each of given) {
      const keys = isZip(each.bytes) ? checkpoints : trusted;
      const found = await checked(each, keys, (done, of) => progress(each.file, done, of));
      files.push(told(found, each.file));
      if (found.log && found.ok) bundles.push({ file: each.file, found });
      for (const document of found.documents ?? [])
        documents.push({ file: each.file, ...document });
    }
    const { forks, unchecked } = await own.compare(bundles, documents);
    return { ok: files.every((each) => each.ok) && forks.length === 0, files, forks, unchecked };
  }

  function linesOf(each) {
    const lines = [
      `${each.file}: ${each.ok ? "all that can be checked holds" : `WRONG at ${each.place}`}`,
    ];
    if (each.match_id) {
      lines.push(
        `  match ${each.match_id}, ${each.perspective}, ${each.events} events`,
        `  head ${each.head}`,
      );
    }
    if (each.documents !== undefined) lines.push(`  signed documents: ${each.documents}`);
    if (!each.ok) lines.push(`  wrong: ${each.place}: ${each.reason} (${each.code})`);
    if (each.checked.length > 0) lines.push(`  checked: ${each.checked.join(", ")}`);
    return [...lines, ...each.unchecked.map((limit) => `  not checked: ${limit}`)];
  }

  /** A report as lines for people. */
  function reportLines({ ok, files, forks, unchecked }) {
    return [
      ...files.flatMap(linesOf),
      ...forks.map(
        ({ one, other, version, reason, code }) =>
          `WRONG together: ${one} and ${other}${version === null ? "" : `, version ${version}`}: ${reason} (${code})`,
      ),
      ...unchecked.map((limit) => `not checked: ${limit}`),
      ok ? "nothing is wrong" : "it does not hold",
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

  Object.assign(own, { keysIn, verifyFiles, reportLines });
})((globalThis.PlyscribeVerifier ??= {}));
