import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A folder for the logs of everything that the tests start; see tools/test-runner. */
const FOLDER = process.env.TEST_LOG_FOLDER;

export interface TestLog {
  write(text: string | Uint8Array): void;
}

let logs = 0;

/**
 * Takes a log in place of the terminal: kept where the test runner looks for secrets, or dropped. Two writers need two,
 * so that neither tears the other's lines.
 */
export function testLog(name: string): TestLog {
  if (!FOLDER) return { write: () => undefined };
  const file = openSync(join(FOLDER, `${name}-${process.pid}-${++logs}.log`), 'a', 0o600);
  return { write: (text) => void (typeof text === 'string' ? writeSync(file, text) : writeSync(file, text)) };
}
