import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { rememberSecret } from '@inference/testing';
import { ROOT } from './service-process';

/**
 * Makes an administrator the way an operator does.
 * @param build the root of the checkout whose command is run
 */
export async function createAdmin(
  databaseUrl: string,
  site: 'intl' | 'cn',
  account: { email: string; password: string },
  build = ROOT,
): Promise<void> {
  rememberSecret(account.password);
  const command = join(build, 'dist/apps/console/src/commands/create-account.js');
  const child = spawn(process.execPath, [command, '--email', account.email, '--role', 'admin'], {
    env: { PATH: process.env.PATH, DATABASE_URL: databaseUrl, SITE: site },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  child.stdin.end(account.password);
  const [errors, [code]] = await Promise.all([
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  if (code !== 0) throw new Error(`No administrator was made: ${errors}`);
}
