// Loaded into each process of a site by `node --require`. Appends a line to a file of the service whenever one turn of its event loop
// took long: the milliseconds of processor time of its main thread, so that a busy machine does not count.
const fs = require('node:fs');
const path = require('node:path');
const { isMainThread } = require('node:worker_threads');

const INTERVAL_MILLIS = 5;
/** Shorter ones are not recorded. */
const LEAST_MILLIS = 20;
const NANOS_PER_MILLI = 1e6;
const MICROS_PER_MILLI = 1e3;

const { STALL_FOLDER: folder = '' } = process.env;
const [, service] = /apps\/([^/]+)\/src\/main\.js$/.exec(process.argv[1] ?? '') ?? [];

/** @returns {() => number} processor time in milliseconds: on Linux of this thread, elsewhere of the process */
function processorClock() {
  const statistics = `/proc/self/task/${process.pid}/schedstat`;
  if (!fs.existsSync(statistics)) {
    return () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / MICROS_PER_MILLI;
    };
  }
  const file = fs.openSync(statistics, 'r');
  const bytes = Buffer.alloc(64);
  return () => {
    const length = fs.readSync(file, bytes, 0, bytes.length, 0);
    return Number.parseInt(bytes.toString('latin1', 0, length), 10) / NANOS_PER_MILLI;
  };
}

function record() {
  const clock = processorClock();
  const file = path.join(folder, `${service}.txt`);
  let before = clock();
  setInterval(() => {
    const now = clock();
    const millis = now - before;
    if (millis >= LEAST_MILLIS) fs.appendFileSync(file, `${millis}\n`);
    before = clock();
  }, INTERVAL_MILLIS).unref();
}

if (isMainThread && folder !== '' && service !== undefined) record();
