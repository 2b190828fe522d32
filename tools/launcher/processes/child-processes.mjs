import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { codeOf } from '../../setup/errors.mjs';
import { groupMembers } from '../../setup/processes.mjs';
import { logOutput, RotatingLog } from '../../setup/rotating-log.mjs';

/**
 * Child processes that never outlive this one: see stop-with-parent.mjs. Each one leads its own process group, so that Ctrl-C in
 * the terminal reaches only this process, which then ends the others in the right order.
 *
 * @import { ChildProcess } from 'node:child_process'
 */

const PRELOAD = new URL('stop-with-parent.mjs', import.meta.url).href;

/**
 * @param {string[]} args for Node: options, script, arguments
 * @param {{ cwd: string, env?: NodeJS.ProcessEnv, stdio: ('ignore' | 'inherit' | 'pipe' | number)[] }} options
 * @returns {ChildProcess} with a channel for messages
 */
export function spawnNode(args, { cwd, env = process.env, stdio }) {
  /** @type {import('node:child_process').SpawnOptions} */
  const options = {
    cwd,
    env: { ...env, LAUNCHED_BY: String(process.pid) },
    detached: true,
    stdio: [...stdio, 'ipc'],
  };
  return spawn(process.execPath, ['--import', PRELOAD, ...args], options);
}

/** Signals a child and everything it has started itself. @param {ChildProcess} child @param {NodeJS.Signals} signal */
export function signalGroup(child, signal) {
  if (!child.pid) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}

/** @param {ChildProcess} child @returns {Promise<string>} how it ended: `exit code 1`, `killed by SIGKILL` */
export function ending(child) {
  return new Promise((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('exit', (code, signal) => resolve(signal ? `killed by ${signal}` : `exit code ${code}`));
  });
}

/** Chosen: a process that reads documents has 5 s to return its job after the service that started it has died. */
const GROUP_GRACE_MS = 6_000;

/**
 * Waits for the processes that a child has started and that outlive it, and kills those that do not end.
 * @param {ChildProcess} child that has ended
 */
async function untilGroupEnds(child) {
  const { pid } = child;
  if (!pid) return;
  for (const deadline = Date.now() + GROUP_GRACE_MS; groupMembers(pid).length > 0;) {
    if (Date.now() > deadline) return signalGroup(child, 'SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/**
 * Runs a script until it ends.
 * @param {string[]} args
 * @param {{ cwd: string, env?: NodeJS.ProcessEnv, input?: string, signal?: AbortSignal }} options
 * @returns {Promise<string>} its output; rejects with the output if the exit code is not 0
 */
export async function runNode(args, { cwd, env, input, signal }) {
  signal?.throwIfAborted();
  const child = spawnNode(args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
  const abort = () => signalGroup(child, 'SIGTERM');
  signal?.addEventListener('abort', abort);
  let output = '';
  child.stdout?.on('data', (chunk) => (output += chunk));
  child.stderr?.on('data', (chunk) => (output += chunk));
  // A script that ends without reading its input is no failure.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(input ?? '');
  const end = await ending(child);
  signal?.removeEventListener('abort', abort);
  signal?.throwIfAborted();
  if (end !== 'exit code 0') throw new Error(`${output.trimEnd()}\n(${args.join(' ')}: ${end})`);
  return output;
}

/** @param {string} logFile @param {number} offset in bytes, to start from @returns {string} the last lines of the log */
export function lastLinesOf(logFile, offset = 0) {
  if (!fs.existsSync(logFile)) return '(the log is gone)';
  const content = fs.readFileSync(logFile);
  // A file that is shorter has begun since.
  return content
    .subarray(content.length < offset ? 0 : offset)
    .toString()
    .trimEnd()
    .split('\n')
    .slice(-15)
    .join('\n');
}

/** Options of Node for every service, the same as in its image. */
const COMMON_NODE_OPTIONS = ['--enable-source-maps'];

/**
 * Deployments set it in the variable `NODE_OPTIONS`. With a semi-space of 32 MiB a gateway serves 7 to 10 % more than with the default of 16: fewer objects of
 * requests in progress are copied. 64 MiB gain nothing more. An agent with many streams is slower with it, and takes more memory (ADR 37).
 */
const GATEWAY_NODE_OPTIONS = ['--max-semi-space-size=32'];

/** @param {string} app @returns {string[]} options of Node */
export const nodeOptionsOf = (app) => [
  ...COMMON_NODE_OPTIONS,
  ...(app === 'gateway' ? GATEWAY_NODE_OPTIONS : []),
];

/**
 * @typedef {object} Service
 * @property {string} name
 * @property {string} logFile
 * @property {ChildProcess} child
 * @property {Promise<string>} ended how it ended, once all that it has started have ended, too
 * @property {() => string} lastLines of its log since it started
 */

/**
 * @param {{ name: string, entry: string, args?: string[], env: NodeJS.ProcessEnv, cwd: string, logFile: string }} description
 * @returns {Service}
 */
export function startService({ name, entry, args = [], env, cwd, logFile }) {
  const log = new RotatingLog(logFile);
  const offset = fs.statSync(logFile).size;
  const options = { cwd, env, stdio: /** @type {('ignore' | 'pipe')[]} */ (['ignore', 'pipe', 'pipe']) };
  const child = spawnNode([...nodeOptionsOf(name), entry, ...args], options);
  const untilLogged = logOutput(child, log);
  const ended = ending(child).then(async (how) => {
    await untilLogged();
    await untilGroupEnds(child);
    return how;
  });
  const lastLines = () => lastLinesOf(logFile, offset);
  return { name, logFile, child, ended, lastLines };
}

/**
 * @param {Pick<Service, 'name' | 'child' | 'ended'>} service
 * @param {{ graceMs: number, impatience: AbortSignal, log: (line: string) => void }} options `graceMs`: after which it is
 *   killed. `impatience`: when aborted, it is killed at once
 */
export async function stopService({ name, child, ended }, { graceMs, impatience, log }) {
  const kill = () => signalGroup(child, 'SIGKILL');
  const timer = setTimeout(() => {
    log(`${name} has not stopped within ${graceMs / 1_000} s and is killed.`);
    kill();
  }, graceMs);
  if (impatience.aborted) kill();
  else impatience.addEventListener('abort', kill);
  child.kill('SIGTERM');
  await ended;
  clearTimeout(timer);
  impatience.removeEventListener('abort', kill);
}
