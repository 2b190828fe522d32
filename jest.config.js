const { existsSync, readdirSync } = require('node:fs');
const { join } = require('node:path');

const projects = ['apps', 'libs', 'packages', 'tools'].flatMap((area) =>
  readdirSync(join(__dirname, area))
    .map((name) => `<rootDir>/${area}/${name}`)
    .filter((folder) => existsSync(join(folder.replace('<rootDir>', __dirname), 'jest.config.js'))),
);

module.exports = { projects, maxWorkers: 2, testTimeout: 60_000 };
