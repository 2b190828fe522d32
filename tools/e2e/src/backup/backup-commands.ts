import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ROOT } from '../site/service-process';

export interface CommandResult {
  /** The exit code; null if the command was killed. */
  code: number | null;
  output: string;
}

export interface RunningCommand {
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
