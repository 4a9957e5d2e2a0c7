// Adds to each verdict of a batch the milliseconds of processor time since the one before.
let before = process.cpuUsage();

const write = process.stdout.write.bind(process.stdout);
process.stdout.write = (line) => {
  const { user, system } = process.cpuUsage(before);
  const verdict = { ...JSON.parse(line), milliseconds: (user + system) / 1000 };
  before = process.cpuUsage();
  return write(`${JSON.stringify(verdict)}\n`);
};
