import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** `npm run reconcile`: checks the ledger of DATABASE_URL, by default of the site that `npm start` runs in DATA_DIR. */

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

function databaseUrl() {
  if (process.env.DATABASE_URL) return process.env.DATABASE_URL;
  const file = path.join(path.resolve(root, process.env.DATA_DIR || '.data'), 'platform.json');
  if (fs.existsSync(file)) return JSON.parse(fs.readFileSync(file, 'utf8')).database.url;
  console.error(`${file} does not exist. Set DATABASE_URL, or start the site first.`);
  process.exit(2);
}

const { status } = spawnSync(
  process.execPath,
  [path.join(root, 'dist/libs/metering/src/reconcile/command.js')],
  { stdio: 'inherit', env: { ...process.env, DATABASE_URL: databaseUrl() } },
);
process.exitCode = status ?? 2;
