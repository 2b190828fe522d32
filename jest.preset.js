const { readFileSync } = require('node:fs');
const { join } = require('node:path');

const { compilerOptions } = JSON.parse(readFileSync(join(__dirname, 'tsconfig.base.json'), 'utf8'));
const swc = JSON.parse(readFileSync(join(__dirname, '.swcrc'), 'utf8'));

/** The aliases of tsconfig.base.json are the single list; Jest resolves them itself, so swc must not. */
const moduleNameMapper = Object.fromEntries(
  Object.entries(compilerOptions.paths).map(([alias, [file]]) => [`^${alias}$`, join(__dirname, file)]),
);
const { paths: _paths, baseUrl: _baseUrl, ...jsc } = swc.jsc;

/**
 * What the name of a test file says it needs: `spec` nothing, `int-spec` a database, `smoke-spec` and `endurance-spec`
 * processes of the product or servers from outside npm. TEST_KINDS selects some of them; all of them unless set.
 */
const kinds = (process.env.TEST_KINDS ?? 'spec,int-spec,smoke-spec,endurance-spec').split(',');

module.exports = {
  testEnvironment: join(__dirname, 'tools/test-runner/jest/environment.cjs'),
  runtime: join(__dirname, 'tools/test-runner/jest/runtime.cjs'),
  testMatch: kinds.map((kind) => `<rootDir>/**/*.${kind}.ts`),
  transform: { '^.+\\.(ts|js|mjs)$': ['@swc/jest', { ...swc, $schema: undefined, swcrc: false, jsc }] },
  moduleNameMapper,
  setupFilesAfterEnv: [join(__dirname, 'libs/testing/src/contract/fail-on-faults.ts')],
  // Jest refuses what a module of an earlier test file still writes to its console.
  sandboxInjectedGlobals: ['console'],
};
