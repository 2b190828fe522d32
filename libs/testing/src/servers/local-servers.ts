import { accessSync, constants } from 'node:fs';

/** Support for tests that run third-party servers on this machine. */

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Skips the tests with a reason if a server is not installed. Benchmarks load this without a test runner. */
export const describeWhere =
  (isInstalled: boolean, why: string) =>
  (name: string, tests: () => void): void =>
    isInstalled ? describe(name, tests) : describe.skip(`${name} (skipped: ${why})`, tests);
