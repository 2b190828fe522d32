import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../site/service-process';

/**
 * Packages that no part of the product needs, in the versions of a lock file of their own. They are installed into
 * test-results/clients and stay there for the next run.
 */

const SOURCES = __dirname;
const INSTALLED = join(ROOT, 'test-results/clients');
const PING_MILLIS = 20_000;
const NODE_PACKAGE = `node-${process.platform}-${process.arch}`;

export interface InstalledPackages {
  folder: string;
  /** A Node that all of the packages support. */
  node: string;
  versionOf(name: string): string;
}

const stampOf = (folder: string) => join(folder, '.install-stamp');
const hashOf = (name: string) =>
  createHash('sha256')
    .update(readFileSync(join(SOURCES, name, 'package-lock.json')))
    .digest('hex');

function isInstalled(name: string): boolean {
  const stamp = stampOf(join(INSTALLED, name));
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === hashOf(name);
}

/** Whether the packages of a folder are there, or can be had. Says so if not. */
export function areAvailable(name: string): boolean {
  if (isInstalled(name)) return true;
  try {
    execFileSync('npm', ['ping'], { timeout: PING_MILLIS, stdio: 'ignore' });
    return true;
  } catch {
    process.stderr.write(`Skipped: npm’s registry is not reachable, which has the packages of ${name}.\n`);
    return false;
  }
}

/** @param scripts paths of packages’ own install scripts, relative to node_modules: others are not run */
export async function install(name: string, scripts: string[] = []): Promise<InstalledPackages> {
  const folder = join(INSTALLED, name);
  mkdirSync(folder, { recursive: true });
  for (const file of readdirSync(join(SOURCES, name)))
    copyFileSync(join(SOURCES, name, file), join(folder, file));
  const own = join(folder, 'node_modules', NODE_PACKAGE, 'bin/node');
  if (!isInstalled(name)) {
    rmSync(stampOf(folder), { force: true });
    // `npm ci` also wants the packages for other systems in the lock file, and not every registry has these.
    await finish('npm', ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'], folder);
    for (const script of scripts)
      await finish(process.execPath, [join(folder, 'node_modules', script)], folder);
    writeFileSync(stampOf(folder), hashOf(name));
  }
  // Elsewhere than on Linux, the Node that runs the tests.
  const node = existsSync(own) ? own : process.execPath;
  return {
    folder,
    node,
    versionOf: (each) =>
      (
        JSON.parse(readFileSync(join(folder, 'node_modules', each, 'package.json'), 'utf8')) as {
          version: string;
        }
      ).version,
  };
}

async function finish(command: string, args: string[], cwd: string): Promise<void> {
  // Otherwise npm takes the folder of the npm that runs the tests.
  const env = { ...process.env, npm_config_local_prefix: cwd };
  const { code, output } = await runProgram(command, args, { cwd, env, timeoutMillis: 600_000 });
  if (code !== 0)
    throw new Error(`${command} ${args.join(' ')} in ${cwd} failed (${code}): ${output.slice(-2_000)}`);
}

interface ProgramOptions {
  cwd: string;
  env: NodeJS.ProcessEnv;
  timeoutMillis: number;
}

/** Runs a program to its end. @returns its code, null if it was killed, and all that it has written */
export async function runProgram(
  command: string,
  args: string[],
  { cwd, env, timeoutMillis }: ProgramOptions,
): Promise<{ code: number | null; stdout: string; output: string }> {
  // A group of its own, so that what it has started ends with it.
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let stdout = '';
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  const kill = () => {
    try {
      process.kill(-child.pid!, 'SIGKILL');
    } catch {
      // It has ended.
    }
  };
  const timer = setTimeout(kill, timeoutMillis);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  clearTimeout(timer);
  kill();
  return { code, stdout, output };
}
