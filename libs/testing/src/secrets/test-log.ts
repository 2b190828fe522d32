import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Folder for the logs of all processes that the tests start; see tools/test-runner. */
const FOLDER = process.env.TEST_LOG_FOLDER;

export interface TestLog {
  write(text: string | Uint8Array): void;
}

let logs = 0;

/**
 * Returns the destination of a log: a file that the test runner searches for secrets, or nothing outside the test runner. Each
 * writer needs a file of its own, because lines of concurrent writers could mix.
 */
export function testLog(name: string): TestLog {
  if (!FOLDER) return { write: () => undefined };
  const file = openSync(join(FOLDER, `${name}-${process.pid}-${++logs}.log`), 'a', 0o600);
  return { write: (text) => void (typeof text === 'string' ? writeSync(file, text) : writeSync(file, text)) };
}
