import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { startConsole } from './console.mjs';
import { findFreePort } from './contenders.mjs';
import { createDatabase, product } from './database.mjs';

const LINK_SECONDS = 86_400;

/**
 * @typedef {object} FileServer
 * @property {'console' | 'nginx'} key
 * @property {string} label
 * @property {number} pid of the process that serves
 * @property {string} url of the file, with whatever it takes to get it
 */

/** @param {string} name @param {string} [place] used instead @returns {string | undefined} the file to run */
export function findProgram(name, place) {
  if (place) return place;
  const candidates = (process.env.PATH ?? '').split(path.delimiter).map((folder) => path.join(folder, name));
  return candidates.find((candidate) => fs.existsSync(candidate));
}

/** A built console with a link to the file as a customer gets it. @returns {Promise<FileServer>} */
export async function startConsoleOn(bench, { folder, key }) {
  const secret = randomBytes(32).toString('hex');
  const database = await createDatabase(bench, 'downloads_bench');
  const environment = { STORAGE_FOLDER: folder, DOWNLOAD_LINK_SECRETS: secret };
  const { pid, url } = await startConsole(bench, database, environment);
  const { FolderStorage } = product('apps/console/src/storage/folder-storage.js');
  const storage = new FolderStorage({ folder, linkSecrets: [secret] }, url);
  const link = await storage.link(key, { fileName: 'bench.gguf', expiresInSeconds: LINK_SECONDS });
  return { key: 'console', label: '(a) our console', pid, url: link };
}

/** One process like the console's, which sends from file to socket in the kernel. */
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

/** @param {string} program @returns {Promise<FileServer>} */
export async function startNginxOn(bench, program, { file }) {
  const port = await findFreePort();
  const [configuration, pidFile] = ['nginx.conf', 'nginx.pid'].map((name) => path.join(bench.dir, name));
  fs.writeFileSync(configuration, configurationOf(path.dirname(file), port, pidFile));
  const env = { NGINX: program, CONFIGURATION: configuration };
  const probe = path.join(path.dirname(file), 'probe');
  fs.writeFileSync(probe, '');
  const { url } = await bench.start({
    name: 'nginx',
    args: ['tools/bench/nginx.mjs'],
    env,
    port,
    probe: '/probe',
  });
  const pid = Number(fs.readFileSync(pidFile, 'utf8'));
  return { key: 'nginx', label: '(b) nginx, sendfile', pid, url: `${url}/${path.basename(file)}` };
}
