const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');
const { resetPackages } = require('./packages.cjs');
const { rememberProperties } = require('./properties.cjs');
const { recordStatements } = require('./statements.cjs');

/** The exit code of a process that SIGTERM has ended. */
const TERMINATED = 128 + 15;

/** What `libs/testing/src/contract/contract.ts` keeps for all files of the worker. */
Reflect.set(globalThis, Symbol.for('response checkers'), new Map());
/** And `tools/sandbox-payments/src/credentials/credentials.ts`. */
Reflect.set(globalThis, Symbol.for('sandbox key pairs'), []);
recordStatements();
/**
 * Jest ends a worker whose memory has grown by this signal, half a second before it kills it, and may have given it the next test file,
 * which another worker repeats. A service of that file would shut down meanwhile, and its tests be reported as failed.
 */
process.once('SIGTERM', () => process.exit(TERMINATED));

/**
 * Runs test files in the main context of their worker, one after the other. What a file changes of globals, of `process` and
 * its environment, and of the state of packages, is reset at its end.
 */
class MainContextEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  /** Jest's legacy timers are not offered. */
  fakeTimers = null;
  /** @type {ModernFakeTimers | null} */
  fakeTimersModern;
  #resets = [globalThis, process, process.env].map(rememberProperties);

  /** @param {import('@jest/environment').JestEnvironmentConfig} config */
  constructor({ projectConfig }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  /** Only says that the environment is alive: see runtime.cjs. */
  getVmContext() {
    return globalThis;
  }

  async setup() {}

  async teardown() {
    this.fakeTimersModern?.dispose();
    this.fakeTimersModern = null;
    for (const reset of this.#resets) reset();
    resetPackages();
  }
}

module.exports = MainContextEnvironment;
