const { readFileSync } = require('node:fs');
const { join } = require('node:path');

const { compilerOptions } = JSON.parse(readFileSync(join(__dirname, 'tsconfig.base.json'), 'utf8'));
const swc = JSON.parse(readFileSync(join(__dirname, '.swcrc'), 'utf8'));

/** The aliases of tsconfig.base.json are the single list; Jest resolves them itself, so swc must not. */
const moduleNameMapper = Object.fromEntries(
  Object.entries(compilerOptions.paths).map(([alias, [file]]) => [`^${alias}$`, join(__dirname, file)]),
);
const { paths: _paths, baseUrl: _baseUrl, ...jsc } = swc.jsc;

/** Reading a global of the sandbox that Jest runs tests in takes 100 times as long as reading what is handed to a module. */
const HOT_GLOBALS = [
  'Array',
  'BigInt',
  'JSON',
  'Map',
  'Math',
  'Number',
  'Object',
  'Promise',
  'Set',
  'String',
  'Symbol',
];

/**
 * What the name of a test file says it needs: `spec` nothing, `int-spec` a database, `e2e-spec` processes of the
 * product or servers from outside npm. TEST_KINDS selects some of them; all of them unless set.
 */
const kinds = (process.env.TEST_KINDS ?? 'spec,int-spec,e2e-spec').split(',');

module.exports = {
  testEnvironment: 'node',
  testMatch: kinds.map((kind) => `<rootDir>/**/*.${kind}.ts`),
  transform: { '^.+\\.(ts|js|mjs)$': ['@swc/jest', { ...swc, $schema: undefined, swcrc: false, jsc }] },
  transformIgnorePatterns: ['/node_modules/(?!(jose|openid-client|oauth4webapi|smtp-server)/)'],
  moduleNameMapper,
  setupFilesAfterEnv: [join(__dirname, 'libs/testing/src/contract/fail-on-faults.ts')],
  sandboxInjectedGlobals: HOT_GLOBALS,
};
