import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { startConsole } from '../setup/console.mjs';
import { findFreePort } from '../../setup/ports.mjs';
import { loadBuilt } from '../setup/built-modules.mjs';
import { createDatabase } from '../setup/database.mjs';

const LINK_SECONDS = 86_400;

/**
 * @import { Workbench } from '../setup/workbench.mjs'
 *
 * @typedef {object} FileServer
 * @property {'console' | 'nginx'} key
 * @property {string} label
 * @property {number} pid of the server process
 * @property {string} url of the file, including its signature
 */

/** @param {string} name looked up in the PATH @param {string} [place] overrides the PATH @returns {string | undefined} */
export function findProgram(name, place) {
  if (place) return place;
  const candidates = (process.env.PATH ?? '').split(path.delimiter).map((folder) => path.join(folder, name));
  return candidates.find((candidate) => fs.existsSync(candidate));
}

/**
 * Starts a built console, and signs a link to the file as for a customer.
 * @param {Workbench} bench
 * @param {{ folder: string, key: string }} stored
 * @returns {Promise<FileServer>}
 */
export async function startConsoleOn(bench, { folder, key }) {
  const secret = randomBytes(32).toString('hex');
  const database = await createDatabase(bench, 'downloads_bench');
  const environment = { STORAGE_FOLDER: folder, DOWNLOAD_LINK_SECRETS: secret };
  const { pid, url } = await startConsole(bench, database, environment);
  const { FolderStorage } = loadBuilt('libs/storage/src');
  const storage = new FolderStorage(folder, { secrets: [secret], publicUrl: url });
  const link = await storage.link(key, { fileName: 'bench.gguf', expiresInSeconds: LINK_SECONDS });
  return { key: 'console', label: '(a) our console', pid, url: link };
}

/**
 * A single process, like the console, with `sendfile`.
 * @param {string} folder
 * @param {number} port
 * @param {string} pidFile
 */
const configurationOf = (folder, port, pidFile) => `
daemon off;
master_process off;
worker_processes 1;
pid ${pidFile};
error_log stderr;
events {}
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((use) => `${use}_temp_path ${folder}/${use};`).join(' ')}
  default_type application/octet-stream;
  server {
    listen 127.0.0.1:${port};
    root ${folder};
  }
}
`;

/** @param {Workbench} bench @param {string} program @param {{ file: string }} served @returns {Promise<FileServer>} */
export async function startNginxOn(bench, program, { file }) {
  const port = await findFreePort();
  const configuration = path.join(bench.dir, 'nginx.conf');
  const pidFile = path.join(bench.dir, 'nginx.pid');
  fs.writeFileSync(configuration, configurationOf(path.dirname(file), port, pidFile));
  const env = { NGINX: program, CONFIGURATION: configuration };
  const probe = path.join(path.dirname(file), 'probe');
  fs.writeFileSync(probe, '');
  const { url } = await bench.start({
    name: 'nginx',
    args: ['tools/bench/downloads/nginx-process.mjs'],
    env,
    port,
    probe: '/probe',
  });
  const pid = Number(fs.readFileSync(pidFile, 'utf8'));
  return { key: 'nginx', label: '(b) nginx, sendfile', pid, url: `${url}/${path.basename(file)}` };
}
