import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type ServiceRole, type TestDatabase, TestPool } from '@inference/testing';
import { PostgresProcess } from '../site/postgres-process';
import { ROOT } from '../site/service-process';

interface CommandResult {
  /** The exit code; null if the command was killed. */
  code: number | null;
  output: string;
}

interface RunningCommand {
  child: ChildProcess;
  result: Promise<CommandResult>;
}

/** Starts `npm run backup` or `npm run restore`. */
export function startCommand(
  name: 'backup' | 'restore',
  args: readonly string[],
  environment: Record<string, string> = {},
): RunningCommand {
  const child = spawn(process.execPath, [join(ROOT, 'tools/backup', `${name}.mjs`), ...args], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const result = Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]).then(
    ([printed, errors, [code]]) => ({ code: code as number | null, output: printed + errors }),
  );
  return { child, result };
}

export const runCommand = (...parameters: Parameters<typeof startCommand>): Promise<CommandResult> =>
  startCommand(...parameters).result;

/** The base backups of a backup folder, and what is being written, or was left, under another name. */
export function listBase(backupDir: string): { complete: string[]; incomplete: string[] } {
  const folder = join(backupDir, 'base');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const isIncomplete = (name: string) => name.endsWith('.incomplete');
  return {
    complete: names.filter((name) => !isIncomplete(name)),
    incomplete: names.filter(isIncomplete),
  };
}

/** A copy of a database that `npm run restore` has made. */
export class RestoredDatabase implements Pick<TestDatabase, 'ownerUrl' | 'urlFor'> {
  private constructor(
    private readonly server: PostgresProcess,
    private readonly original: TestDatabase,
    private readonly port: string,
    /** Of the command. */
    readonly output: string,
    readonly pool: TestPool,
  ) {}

  /** Restores the backups of a folder into a new data folder, and starts a server on it. */
  static async create(original: TestDatabase, backupDir: string, args: string[]): Promise<RestoredDatabase> {
    const folder = mkdtempSync(join(process.env.TEST_DATA_FOLDER ?? tmpdir(), 'e2e-restored-'));
    const result: CommandResult = await runCommand('restore', [
      ...['--from', backupDir, '--to', join(folder, 'data')],
      ...args,
    ]);
    if (result.code !== 0) throw new Error(`Nothing was restored:\n${result.output}`);
    const server = await PostgresProcess.on(folder);
    const { port } = new URL(await server.start());
    const url = withPort(original.ownerUrl, port);
    const pool = TestPool.of({ url, applicationName: 'test', size: 4 });
    return new RestoredDatabase(server, original, port, result.output, pool);
  }

  get ownerUrl(): string {
    return withPort(this.original.ownerUrl, this.port);
  }

  urlFor(role: ServiceRole): string {
    return withPort(this.original.urlFor(role), this.port);
  }

  async remove(): Promise<void> {
    await this.pool.end();
    await this.server.remove();
  }
}

function withPort(text: string, port: string): string {
  const url = new URL(text);
  url.port = port;
  return url.href;
}
