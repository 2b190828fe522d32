const { existsSync, readdirSync } = require('node:fs');
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

module.exports = { projects, maxWorkers: 2, workerIdleMemoryLimit, testTimeout: 60_000 };
