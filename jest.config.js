const { existsSync, readdirSync } = require('node:fs');
const { availableParallelism } = require('node:os');
const { join } = require('node:path');

const projects = ['apps', 'libs', 'packages', 'tools'].flatMap((area) =>
  readdirSync(join(__dirname, area))
    .map((name) => `<rootDir>/${area}/${name}`)
    .filter((folder) => existsSync(join(folder.replace('<rootDir>', __dirname), 'jest.config.js'))),
);

/** Each spec file leaves some megabytes in its worker. A new worker costs two seconds, because it loads all packages anew. */
const workerIdleMemoryLimit = '2GB';

const kinds = process.env.TEST_KINDS;
const runsProcesses = kinds?.match(/smoke|endurance/) !== null;

/** Milliseconds. Only a test that hangs reaches the limit of a lane, also on a busy machine. */
const testTimeout = !runsProcesses ? 180_000 : kinds === 'smoke-spec' ? 300_000 : 900_000;

/** Tests wait for timers and the database, so two workers more keep the cores busy. Tests over processes keep them busy themselves. */
const maxWorkers = availableParallelism() + (runsProcesses ? 0 : 2);

module.exports = { projects, maxWorkers, workerIdleMemoryLimit, testTimeout };
