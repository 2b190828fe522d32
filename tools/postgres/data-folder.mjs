import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { using } from '../setup/state-file.mjs';
import { canReach, changeOwner, spawnAs } from './account.mjs';

/** The file descriptor after those of input, output and errors. */
const FIRST_INHERITED = 3;

/**
 * The path by which a program that runs as `account` opens a folder. If the account may not enter a parent folder, such
 * as /root, the program inherits the opened folder as a file descriptor, and its path leads through that descriptor. The
 * permissions of the parent folders stay as they are.
 * @param {import('./account.mjs').Account} account
 * @param {string} folder
 * @param {number[]} [earlier] descriptors that the program inherits before this one
 * @returns {PassedFolder}
 */
export function passFolder(account, folder, earlier = []) {
  if (canReach(account, folder)) return { folder, descriptors: [] };
  if (process.platform !== 'linux') {
    throw new Error(`The account ${account.uid} cannot enter ${folder}; choose a folder that it can.`);
  }
  const inherited = FIRST_INHERITED + earlier.length;
  return { folder: `/proc/self/fd/${inherited}`, descriptors: [fs.openSync(folder, 'r')] };
}

/** The environment of the programs. It omits the caller's variables: PG… variables would change the behaviour. */
export const programEnvironment = { PATH: process.env.PATH, LC_ALL: 'C' };

/**
 * @typedef {{ folder: string, descriptors: number[] }} PassedFolder `descriptors`: to append to the `stdio` of a spawn, and
 *   to close after it
 *
 * @typedef {object} DataFolderOptions
 * @property {ReturnType<typeof import('./binaries.mjs').findBinaries>} binaries
 * @property {string} dataDir
 * @property {import('./account.mjs').Account} account
 * @property {string} password of the superuser
 * @property {boolean} ephemeral
 */

/**
 * @param {Pick<DataFolderOptions, 'binaries' | 'account' | 'ephemeral'> & { passed: PassedFolder }} options
 * @returns {Promise<void>} rejects with the output of initdb if it fails
 */
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
    child.stdout?.on('data', (chunk) => (output += chunk));
    child.stderr?.on('data', (chunk) => (output += chunk));
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`The database could not be created:\n${output}`)),
    );
  });
}

/** Creates a database atomically: in a staging folder, which is then renamed. @param {DataFolderOptions} options */
async function create({ binaries, account, dataDir, password, ephemeral }) {
  const staging = `${dataDir}.new`;
  fs.rmSync(staging, { recursive: true, force: true });
  fs.mkdirSync(staging, { recursive: true, mode: 0o700 });
  fs.writeFileSync(path.join(staging, 'password'), password, { mode: 0o600 });
  changeOwner(account, staging);
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
 * Creates the database if the folder is missing or empty. Otherwise checks that this version of PostgreSQL can open it.
 * @param {DataFolderOptions} options
 */
export async function prepareDataFolder(options) {
  const { binaries, account, dataDir } = options;
  const isEmpty =
    !fs.existsSync(dataDir) || using(dataDir, 'read', () => fs.readdirSync(dataDir)).length === 0;
  if (isEmpty) return create(options);

  const versionFile = path.join(dataDir, 'PG_VERSION');
  if (!fs.existsSync(versionFile)) throw new Error(`${dataDir} is neither empty nor a PostgreSQL database.`);
  const version = using(versionFile, 'read', () => fs.readFileSync(versionFile, 'utf8').trim());
  if (!/^\d+(\.\d+)?$/.test(version)) {
    throw new Error(
      `${versionFile} is damaged: it does not hold the version of PostgreSQL. Restore the database from a backup.`,
    );
  }
  if (version !== binaries.majorVersion) {
    throw new Error(
      `${dataDir} was written by PostgreSQL ${version}; this is version ${binaries.majorVersion}. ` +
        'Start it with the version of the platform that has written it, or choose another folder.',
    );
  }
  // PostgreSQL only opens files of its own account. The folder may be a copy that root has made.
  if (fs.statSync(dataDir).uid !== account.uid) changeOwner(account, dataDir);
}
