import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf } from './errors.mjs';
import { waitForLock } from './lock.mjs';

/**
 * Installs the packages of package-lock.json if they are missing or outdated, and writes the sources that are not in git. It runs before `npm start` and `npm test`,
 * so it must not import any package. The product works without the packages' own install scripts, which many npm
 * configurations forbid.
 *
 * @typedef {{ optional?: boolean, os?: string[], cpu?: string[], libc?: string[], integrity?: string,
 *   dependencies?: Record<string, string>, devDependencies?: Record<string, string> }} LockedPackage
 */

/** @type {[major: number, minor: number]} as in `engines` of package.json */
const OLDEST_NODE = [20, 19];
const INSTALL_DEADLINE_MS = 15 * 60_000;
/** @type {NodeJS.Signals[]} */
const SIGNALS = ['SIGINT', 'SIGTERM'];

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const lockFile = path.join(root, 'package-lock.json');
const npmRecord = path.join(root, 'node_modules/.package-lock.json');
const stampFile = path.join(root, 'node_modules/.install-stamp');

function checkNodeVersion() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return;
  throw new Error(
    `Node.js ${OLDEST_NODE.join('.')} or newer is needed; this is ${process.version} (${process.execPath}).`,
  );
}

/** Identifies the packages that this checkout needs on this machine. */
function wantedStamp() {
  return {
    lock: createHash('sha256').update(fs.readFileSync(lockFile)).digest('hex'),
    platform: `Node.js ${process.versions.node.split('.')[0]} on ${process.platform}-${process.arch}`,
  };
}

/** @param {ReturnType<typeof wantedStamp>} stamp */
function writeStamp(stamp) {
  const draft = `${stampFile}.${process.pid}`;
  fs.writeFileSync(draft, JSON.stringify(stamp));
  fs.renameSync(draft, stampFile);
}

/** @returns {ReturnType<typeof wantedStamp> | null} null if it is missing or damaged */
function readStamp() {
  try {
    return JSON.parse(fs.readFileSync(stampFile, 'utf8'));
  } catch {
    return null;
  }
}

/** @param {string} file a lock file of npm @returns {Record<string, LockedPackage>} by path; empty if the file is missing */
function readPackages(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')).packages;
  } catch {
    return {};
  }
}

/** @returns {string[]} packages that are not there, of those in package-lock.json and those that npm has once installed */
function missingPackages() {
  const { dependencies, devDependencies } = readPackages(lockFile)[''] ?? {};
  const direct = Object.keys({ ...dependencies, ...devDependencies }).map((name) => `node_modules/${name}`);
  const installed = Object.keys(readPackages(npmRecord));
  return [...new Set([...direct, ...installed])]
    .filter((folder) => !fs.existsSync(path.join(root, folder, 'package.json')))
    .map((folder) => folder.replace('node_modules/', ''));
}

/**
 * True for a binary package of this platform. Excludes packages for one C library: npm alone knows which library this is.
 * @param {LockedPackage} locked
 */
const isForThisPlatform = ({ optional, os, cpu, libc }) =>
  optional && !libc && os?.includes(process.platform) && cpu?.includes(process.arch);

/** True if npm's record of the last complete install, possibly by hand, agrees with package-lock.json. */
function isInstallCurrent() {
  const wanted = readPackages(lockFile);
  const installed = readPackages(npmRecord);
  const forThisPlatform = Object.entries(wanted).filter(([, locked]) => isForThisPlatform(locked));
  return (
    Object.keys(installed).length > 0 &&
    Object.entries(installed).every(([folder, { integrity }]) => wanted[folder]?.integrity === integrity) &&
    forThisPlatform.every(([folder]) => installed[folder])
  );
}

/** @returns {string | null} null if no install is needed */
function reasonToInstall() {
  if (!fs.existsSync(path.join(root, 'node_modules'))) return 'nothing is installed yet';
  const missing = missingPackages();
  if (missing.length > 0) return `${missing[0]} is missing`;
  const wanted = wantedStamp();
  const stamp = readStamp();
  if (stamp && stamp.platform !== wanted.platform) return `it was made for ${stamp.platform}`;
  if (stamp && stamp.lock === wanted.lock) return null;
  if (!isInstallCurrent()) return stamp ? 'package-lock.json has changed' : 'the last install did not finish';
  writeStamp(wanted);
  return null;
}

/** The npm that runs this script, otherwise the one on the PATH. */
function npmCommand() {
  const caller = process.env.npm_execpath ?? '';
  if (/^npm/.test(path.basename(caller))) return { command: process.execPath, args: [caller], shell: false };
  return { command: 'npm', args: [], shell: process.platform === 'win32' };
}

/** @param {import('./lock.mjs').Lock} lock */
async function runNpm(lock) {
  const { command, args, shell } = npmCommand();
  const wanted = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund'];
  const child = spawn(command, [...args, ...wanted], {
    cwd: root,
    shell,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  // If this process is killed, npm keeps running. No other process may start an install before npm has ended.
  if (child.pid) lock.adopt(child.pid);
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
  const ending = await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => resolve(signal ?? code));
  });
  if (ending !== 0) throw new Error(`npm ci ended with ${ending}; the lines above say why.`);
}

async function install() {
  if (!reasonToInstall()) return;
  const lock = await waitForLock(path.join(root, 'dist/.install-lock'), {
    deadlineMs: INSTALL_DEADLINE_MS,
    onWait: () => console.log('The packages are being installed by another process; waiting for it …'),
  });
  try {
    const reason = reasonToInstall();
    if (!reason) return;
    console.log(`Installing packages (${reason}) …`);
    const stamp = wantedStamp();
    await runNpm(lock);
    const missing = missingPackages();
    if (missing.length > 0) throw new Error(`npm ci succeeded but did not install ${missing.join(', ')}.`);
    writeStamp(stamp);
  } finally {
    lock.release();
  }
}

/** In a process of its own, because it imports packages. */
function writeApiTypes() {
  const script = path.join(root, 'tools/docs/write-api-types.mjs');
  const { status } = spawnSync(process.execPath, [script], { stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0)
    throw new Error(`The types of the API could not be written: ${script} ended with ${status}.`);
}

try {
  checkNodeVersion();
  await install();
  writeApiTypes();
} catch (error) {
  console.error(`\n${messageOf(error)}\n`);
  process.exitCode = 1;
}
