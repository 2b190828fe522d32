const { existsSync, readdirSync } = require('node:fs');
const { availableParallelism } = require('node:os');
const { join } = require('node:path');

const projects = ['apps', 'libs', 'packages', 'tools'].flatMap((area) =>
  readdirSync(join(__dirname, area))
    .map((name) => `<rootDir>/${area}/${name}`)
    .filter((folder) => existsSync(join(folder.replace('<rootDir>', __dirname), 'jest.config.js'))),
);

/**
 * Each spec file leaves some 20 MB in its worker, and an AsyncLocalStorage of Jest's own that Node 20 serves at every
 * promise: after 50 files an `await` takes 25 times as long. A new worker costs a second.
 */
const workerIdleMemoryLimit = '500MB';

/**
 * Tests wait for timers and the database, so one worker more than there are cores keeps the cores busy: on two cores a
 * run takes 5 minutes instead of 6. The proofs keep the cores busy with processes of their own.
 */
const maxWorkers = availableParallelism() + (process.env.TEST_KINDS === 'e2e-spec' ? 0 : 1);

module.exports = { projects, maxWorkers, workerIdleMemoryLimit, testTimeout: 60_000 };
