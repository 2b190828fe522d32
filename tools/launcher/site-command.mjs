import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../setup/errors.mjs';
import { readPlatformFile } from '../setup/platform-file.mjs';
import { storageFolderOf } from './settings.mjs';

/** Commands for operators, for the site of the environment, by default the one that `npm start` runs in DATA_DIR. */

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** The command reads these from the environment itself. */
const isDatabaseGiven = Boolean(process.env.DATABASE_URL || process.env.DATABASE_URL_FILE);

/** @returns {string} of the site that `npm start` runs */
function databaseUrl() {
  try {
    const platform = readPlatformFile(dataDir());
    if (platform) return platform.database.url;
    console.error(`There is no site in ${dataDir()}. Set DATABASE_URL, or start the site first.`);
  } catch (error) {
    console.error(messageOf(error));
  }
  process.exit(2);
}

const dataDir = () => path.resolve(root, process.env.DATA_DIR || '.data');

/**
 * Runs a built command with the database as its owner and the storage, and exits like it.
 * @param {string} script relative to dist
 * @param {string[]} args
 */
export function runSiteCommand(script, args) {
  const storageFolder = isDatabaseGiven ? null : storageFolderOf(process.env, dataDir());
  const { status } = spawnSync(process.execPath, [path.join(root, 'dist', script), ...args], {
    stdio: 'inherit',
    env: {
      ...process.env,
      ...(!isDatabaseGiven && { DATABASE_URL: databaseUrl() }),
      ...(storageFolder && { STORAGE_FOLDER: storageFolder }),
    },
  });
  process.exitCode = status ?? 2;
}
