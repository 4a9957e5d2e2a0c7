// Checks bundles and signed documents offline:
// node verify.mjs FILE... [--keys KEYS] [--as-of TIME] [--json]
//
// Exits with 0 if nothing is wrong, 1 if something is, else 2 if a file can't be read or it can't do
// what it was asked. With
// --batch it reads files from standard input, each as the bytes of its length (4, big-endian) and
// its content, and writes one line of JSON for each.
import { readFileSync, existsSync } from "node:fs";
import { createRequire } from "node:module";
import { parseArgs } from "node:util";

// Ed25519 is called experimental by Node 20; nothing else is kept quiet.
process.removeAllListeners("warning");
process.on("warning", (warning) => {
  if (warning.name !== "ExperimentalWarning") process.stderr.write(`${warning}\n`);
});

const load = createRequire(import.meta.url);
export const PARTS = [
  "bytes",
  "json",
  "zip",
  "hashes",
  "clocks",
  "schedule",
  "shapes",
  "lines",
  "beside",
  "timed",
  "coming",
  "agreeing",
  "due",
  "life",
  "secrets",
  "columns",
  "tlog",
  "evidence",
  "kept",
  "signed",
  "bundle",
  "compare",
  "report",
];
for (const part of PARTS) load(`./${part}.js`);
const own = globalThis.PlyscribeVerifier;
const USAGE = "usage: node verify.mjs FILE... [--keys KEYS] [--as-of TIME] [--json]";

class CannotDo extends Error {}

function read(file) {
  try {
    return new Uint8Array(readFileSync(file));
  } catch (error) {
    throw new CannotDo(`${file}: ${error.code === "ENOENT" ? "no such file" : error.message}`);
  }
}

/** A file to check; one that can't be read does not hide the others. */
function fileAt(file) {
  try {
    return { file, bytes: new Uint8Array(readFileSync(file)) };
  } catch (error) {
    const unread = error.code === "ENOENT" ? "no such file" : error.message;
    return { file, bytes: new Uint8Array(), unread };
  }
}

async function keysOf(given) {
  if (given === undefined) return null;
  try {
    return await own.trustedIn(existsSync(given) ? read(given) : own.utf8(given));
  } catch (error) {
    throw error instanceof own.Wrong ? new CannotDo(`--keys ${error.message}`) : error;
  }
}

/** When the files were got (ms): an ISO 8601 time, of this machine's zone if it names none; or now. */
function timeOf(given) {
  const time = given === undefined ? Date.now() : Date.parse(given);
  if (Number.isNaN(time)) throw new CannotDo(`--as-of ${given}: is no time`);
  return time;
}

async function* framed(stream) {
  let rest = Buffer.alloc(0);
  for await (const piece of stream) {
    rest = Buffer.concat([rest, piece]);
    while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32BE(0)) {
      const size = rest.readUInt32BE(0);
      yield new Uint8Array(rest.subarray(4, 4 + size));
      rest = rest.subarray(4 + size);
    }
  }
}

async function batch(trusted) {
  for await (const bytes of framed(process.stdin)) {
    const { files } = await own.verifyFiles([{ file: "", bytes }], trusted);
    process.stdout.write(`${JSON.stringify(files[0])}\n`);
  }
  return 0;
}

async function main() {
  let asked;
  const options = {
    keys: { type: "string" },
    "as-of": { type: "string" },
    json: { type: "boolean" },
    batch: { type: "boolean" },
  };
  try {
    asked = parseArgs({ options, allowPositionals: true });
  } catch (error) {
    throw new CannotDo(`${error.message}\n${USAGE}`);
  }
  const trusted = await keysOf(asked.values.keys);
  if (asked.values.batch) return batch(trusted);
  if (asked.positionals.length === 0) throw new CannotDo(USAGE);
  const files = asked.positionals.map((file) => fileAt(file));
  const now = timeOf(asked.values["as-of"]);
  const report = await own.verifyFiles(files, trusted, { now });
  const lines = asked.values.json ? [JSON.stringify(report)] : own.reportLines(report);
  process.stdout.write(`${lines.join("\n")}\n`);
  return own.exitCode(report);
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`plyscribe: ${error instanceof CannotDo ? error.message : error.stack}\n`);
  process.exitCode = 2;
}
