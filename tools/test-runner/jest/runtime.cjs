const asyncHooks = require('node:async_hooks');
const { Script, constants } = require('node:vm');
const { default: Runtime } = require('jest-runtime');
const { isPackage, requirePackage } = require('./packages.cjs');

/**
 * Jest's module registry, with three differences:
 *
 * - Packages of node_modules, Jest's own among them, are loaded once for a worker, by Node. The code of this repository is
 *   loaded anew for each test file, so that a file begins with fresh state.
 * - All code runs in the main context, so that a package and a test that make an error or an array mean the same class. Reading
 *   a global of a context of its own would take 100 times as long.
 * - A file is compiled once for a worker.
 */

/** @type {Map<string, { source: string, script: Script }>} by file */
const compiled = new Map();

/** @param {string} source @param {string} filename @param {string[]} parameters @returns {Function} */
function compile(source, filename, parameters) {
  const known = compiled.get(filename);
  if (known?.source === source) return known.script.runInThisContext();
  const head = `(function (${parameters.join(', ')}) {`;
  const script = new Script(`${head}${source}\n})`, {
    filename,
    columnOffset: -head.length,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  compiled.set(filename, { source, script });
  return script.runInThisContext();
}

class SharedPackagesRuntime extends Runtime {
  /** @type {Set<asyncHooks.AsyncLocalStorage<unknown>>} */
  #storages = new Set();
  /** @type {ProxyHandler<typeof asyncHooks.AsyncLocalStorage>} */
  #remember = {
    construct: (Storage, args) => {
      const storage = Reflect.construct(Storage, args);
      this.#storages.add(storage);
      return storage;
    },
  };
  /** @type {typeof asyncHooks} */
  #asyncHooks;

  /** @param {ConstructorParameters<typeof Runtime>} args */
  constructor(...args) {
    super(...args);
    /** @type {{ compile: unknown, injectedModuleParameters: string[] }} */
    const executor = this['executor'];
    if (typeof executor?.compile !== 'function') throw new Error('Jest compiles modules elsewhere.');
    executor.compile = (/** @type {string} */ source, /** @type {string} */ filename) =>
      compile(source, filename, executor.injectedModuleParameters);
    this.#asyncHooks = {
      ...asyncHooks,
      AsyncLocalStorage: new Proxy(asyncHooks.AsyncLocalStorage, this.#remember),
    };
  }

  /** @override @param {string} from @param {string} [name] @param {any} [options] @param {boolean} [isActual] @returns {any} */
  requireModule(from, name, options, isActual) {
    if (name === 'async_hooks' || name === 'node:async_hooks') return this.#asyncHooks;
    if (name !== undefined && isPackage(name)) return requirePackage(from, name);
    return super.requireModule(from, name, options, isActual);
  }

  /** @override */
  teardown() {
    super.teardown();
    // Node 20 serves every storage that was ever used at each promise, and Jest has a new one for each file.
    for (const storage of this.#storages) storage.disable();
  }
}

module.exports = { default: SharedPackagesRuntime, __esModule: true };
