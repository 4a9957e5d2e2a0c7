// Counts what the verifier does for each file of a batch: adds `work` to each verdict.
//
// That is how often each block of it ran, as V8 counts them, and what the built-in functions go
// through that a block hides.
import { Session } from "node:inspector";

let hidden = 0;
for (const empty of [[], new Map(), new Set()]) {
  const iterator = Object.getPrototypeOf(empty[Symbol.iterator]());
  const { next } = iterator;
  iterator.next = function () {
    hidden += 1;
    return next.call(this);
  };
}
for (const name of ["includes", "indexOf", "slice", "concat", "reverse", "join", "unshift", "sort"]) {
  const before = Array.prototype[name];
  Array.prototype[name] = function (...given) {
    hidden += this.length;
    return before.apply(this, given);
  };
}

const session = new Session();
session.connect();
session.post("Profiler.enable");
session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });

/** What was done since it was asked last. */
function work() {
  let total = hidden;
  hidden = 0;
  session.post("Profiler.takePreciseCoverage", (error, { result }) => {
    const own = result.filter(({ url }) => url.includes("/docs/verifier/"));
    for (const { functions } of own)
      for (const { ranges } of functions) for (const { count } of ranges) total += count;
  });
  return total;
}

const write = process.stdout.write.bind(process.stdout);
process.stdout.write = (line) => write(`${JSON.stringify({ ...JSON.parse(line), work: work() })}\n`);
