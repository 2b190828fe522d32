import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { canReach, handOver, spawnAs } from './account.mjs';

/**
 * Where a program that runs as `account` finds a folder. An account that may not enter one of the folders above (data
 * under /root, say) is handed the folder itself, opened, as file descriptor 3, and reaches it through that: nothing
 * above has to be opened up, and the data stay where they were wanted.
 * @param {import('./account.mjs').Account} account
 * @param {string} folder
 * @returns {{ folder: string, descriptors: number[] }} to append to the `stdio` of a spawn, and to close after it
 */
export function passFolder(account, folder) {
  if (canReach(account, folder)) return { folder, descriptors: [] };
  if (process.platform !== 'linux') {
    throw new Error(`The account ${account.uid} cannot enter ${folder}; choose a folder that it can.`);
  }
  return { folder: '/proc/self/fd/3', descriptors: [fs.openSync(folder, 'r')] };
}

/** The environment of the programs: nothing of the caller's, whose PG… variables would change their behaviour. */
export const programEnvironment = { PATH: process.env.PATH, LC_ALL: 'C' };

/** @returns {Promise<void>} rejects with what initdb printed when it fails */
function runInitdb({ binaries, account, passed, ephemeral }) {
  const args = [
    ...['-D', path.join(passed.folder, 'data')],
    ...[`--pwfile=${path.join(passed.folder, 'password')}`, '--username=postgres', '--auth=scram-sha-256'],
    ...['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
    ...['--no-instructions', ...(ephemeral ? ['--no-sync', '--no-data-checksums'] : [])],
  ];
  return new Promise((resolve, reject) => {
    const child = spawn(binaries.initdb, args, {
      ...spawnAs(account),
      cwd: binaries.folder,
      env: programEnvironment,
      stdio: ['ignore', 'pipe', 'pipe', ...passed.descriptors],
    });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`The database could not be created:\n${output}`)),
    );
  });
}

/** Makes a new database in a folder beside and moves it into place, so that no half-made one is ever met. */
async function create({ binaries, account, dataDir, password, ephemeral }) {
  const staging = `${dataDir}.new`;
  fs.rmSync(staging, { recursive: true, force: true });
  fs.mkdirSync(staging, { recursive: true, mode: 0o700 });
  fs.writeFileSync(path.join(staging, 'password'), password, { mode: 0o600 });
  handOver(account, staging);
  const passed = passFolder(account, staging);
  try {
    await runInitdb({ binaries, account, passed, ephemeral });
  } finally {
    passed.descriptors.forEach(fs.closeSync);
  }
  fs.renameSync(path.join(staging, 'data'), dataDir);
  fs.rmSync(staging, { recursive: true, force: true });
}

/**
 * Makes the folder ready to start on: creates the database when there is none, and sees that it fits.
 * @param {{ binaries: ReturnType<typeof import('./binaries.mjs').findBinaries>, dataDir: string,
 *   account: import('./account.mjs').Account, password: string, ephemeral: boolean }} options
 */
export async function prepareDataFolder(options) {
  const { binaries, account, dataDir } = options;
  const isEmpty = !fs.existsSync(dataDir) || fs.readdirSync(dataDir).length === 0;
  if (isEmpty) return create(options);

  const versionFile = path.join(dataDir, 'PG_VERSION');
  if (!fs.existsSync(versionFile)) throw new Error(`${dataDir} is neither empty nor a PostgreSQL database.`);
  const version = fs.readFileSync(versionFile, 'utf8').trim();
  if (version !== binaries.majorVersion) {
    throw new Error(
      `${dataDir} was written by PostgreSQL ${version}; this is version ${binaries.majorVersion}.`,
    );
  }
  // Root copied the folder, perhaps: PostgreSQL starts on its own account's files only.
  if (fs.statSync(dataDir).uid !== account.uid) handOver(account, dataDir);
}
