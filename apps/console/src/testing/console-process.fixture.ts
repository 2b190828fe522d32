import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  findFreePort,
  holdProcessToContract,
  rememberEnvironment,
  testLog,
  waitFor,
} from '@inference/testing';
import { testEnvironment, type TestSite } from './console.fixture';

const MAIN = join(__dirname, '../../../../dist/apps/console/src/main.js');
const ATTEMPTS = 3;

/** A replica of a site's console in its own process, which a test can kill. */
export class ConsoleProcess {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
  ) {}

  static async start(
    { database }: TestSite,
    token: string,
    own: Record<string, string> = {},
  ): Promise<ConsoleProcess> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const port = await findFreePort();
      const environment = { ...testEnvironment(database.urlFor('console')), ...own, PORT: String(port) };
      const started = await ConsoleProcess.tryToStart(environment, token);
      if (started) return started;
    }
    throw new Error('The console does not start.');
  }

  /** Returns null if another process took the port in the meantime. */
  private static async tryToStart(
    environment: Record<string, string>,
    token: string,
  ): Promise<ConsoleProcess | null> {
    rememberEnvironment(environment);
    const child = spawn(process.execPath, [MAIN], { env: { PATH: process.env.PATH, ...environment } });
    const log = testLog('console');
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => log.write(chunk));
    const url = `http://127.0.0.1:${environment.PORT}`;
    // A server of another test on this port would refuse the session.
    const headers = { Authorization: `Bearer ${token}` };
    const isUp = await waitFor(async () => {
      if (child.exitCode !== null) return 'ended';
      return (await fetch(`${url}/api/auth/me`, { headers })).ok && 'up';
    });
    if (isUp !== 'up') return null;
    holdProcessToContract(url, 'console');
    return new ConsoleProcess(url, child);
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }

  /** The most memory that it has had so far. */
  get peakKilobytes(): number {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${this.child.pid}/status`, 'utf8'))![1]);
  }
}
