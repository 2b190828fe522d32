import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import previous from './previous-build.json';
import { ROOT } from '../site/service-process';

const run = promisify(execFile);

/** The version that operators upgrade from. */
export const PREVIOUS = previous;

/** Kept for later runs. */
const FOLDER = join(ROOT, 'dist/previous-builds', previous.commit);
const MAX_OUTPUT_BYTES = 64 * 2 ** 20;

type Packages = Record<string, { integrity?: string }>;

const git = (...args: string[]) => spawnSync('git', args, { cwd: ROOT, stdio: 'ignore' });

/** Why the previous version cannot be built here, or undefined. */
export function reasonWithoutPreviousBuild(): string | undefined {
  if (existsSync(FOLDER)) return undefined;
  const { error, status } = git('cat-file', '-e', `${previous.commit}^{commit}`);
  if (error) return 'git is not installed';
  if (status !== 0) return `this clone has no commit ${previous.commit}: git fetch origin ${previous.commit}`;
  return undefined;
}

const packagesOf = (lockFile: string): Packages => (JSON.parse(lockFile) as { packages: Packages }).packages;

/** True if the packages of this checkout include every package of the folder, each in the same version. */
function hasPackagesOf(folder: string): boolean {
  const read = (root: string) => packagesOf(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const installed = read(ROOT);
  return Object.entries(read(folder)).every(
    ([place, { integrity }]) => place === '' || installed[place]?.integrity === integrity,
  );
}

/** The sources that the services and their commands are compiled from. */
const sourcesOf = (folder: string) =>
  ['apps', 'libs'].flatMap((area) =>
    readdirSync(join(folder, area))
      .map((name) => `${area}/${name}/src`)
      // Its pages are bundled, and no test of an upgrade opens them.
      .filter((sources) => sources !== 'apps/console-ui/src' && existsSync(join(folder, sources))),
  );

/** Builds the services of the previous version as that version's `nx.json` does, all in one process. */
async function build(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const archive = join(folder, 'sources.tar');
  await run('git', ['archive', `--output=${archive}`, previous.commit], { cwd: ROOT });
  await run('tar', ['-xf', archive, '-C', folder]);
  rmSync(archive);
  if (hasPackagesOf(folder)) symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  else
    await run('npm', ['ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: folder,
      maxBuffer: MAX_OUTPUT_BYTES,
    });
  const options = ['-d', 'dist', '--copy-files', '--ignore', '**/*spec.ts,**/*.fixture.ts', '--quiet'];
  await run(join(folder, 'node_modules/.bin/swc'), [...sourcesOf(folder), ...options], {
    cwd: folder,
    maxBuffer: MAX_OUTPUT_BYTES,
  });
}

/** Returns the root of the previous version's checkout, whose services are built. */
export async function makePreviousBuild(): Promise<string> {
  if (!existsSync(FOLDER)) {
    const draft = `${FOLDER}.${process.pid}`;
    rmSync(draft, { recursive: true, force: true });
    await build(draft);
    renameSync(draft, FOLDER);
  }
  return FOLDER;
}
