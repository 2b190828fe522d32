const { builtinModules, createRequire } = require('node:module');
const { dirname } = require('node:path');
const { keepGlobalsOf, rememberProperties } = require('./properties.cjs');

/** What tests change in a package: an object whose properties are reset after each test file. */
const STATE = {
  /** The logger of all apps of the process. @param {any} exports */
  '@nestjs/common': ({ Logger }) => Logger,
  /** The strategies of all apps of the process. @param {any} exports */
  passport: ({ _strategies }) => _strategies,
};

/** Names of modules that are not in node_modules: files, aliases of this repository, what Jest provides itself. */
const NO_PACKAGE = /^(\.|\/|@inference\/|@jest\/globals$)/;
const BUILT_IN = new Set(builtinModules);

/** @type {Map<string, unknown>} exports by folder of the importing file and name of the package */
const loaded = new Map();
/** @type {Map<string, () => void>} by name of the package */
const resets = new Map();

/** @param {string} name as in `import` */
const isPackage = (name) => !NO_PACKAGE.test(name) && !name.startsWith('node:') && !BUILT_IN.has(name);

/**
 * Loads a package as Node does, once for all test files of a worker.
 *
 * @param {string} from the importing file
 * @param {string} name
 */
function requirePackage(from, name) {
  const key = `${dirname(from)}\0${name}`;
  if (!loaded.has(key)) {
    const exports = keepGlobalsOf(() => createRequire(from)(name));
    loaded.set(key, exports);
    if (Object.hasOwn(STATE, name) && !resets.has(name))
      resets.set(name, rememberProperties(STATE[/** @type {keyof typeof STATE} */ (name)](exports)));
  }
  return loaded.get(key);
}

/** Gives packages the state that they had after loading. */
function resetPackages() {
  for (const reset of resets.values()) reset();
}

module.exports = { isPackage, requirePackage, resetPackages };
