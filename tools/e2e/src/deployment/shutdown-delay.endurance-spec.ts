import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { findFreePort, testLog, waitFor } from '@inference/testing';
import { ROOT } from '../site/service-process';

const START_MILLIS = 60_000;
/** The longest that the configuration allows. Jest ends the tests earlier: a wait that ends was ended by a signal. */
const LONG_SECONDS = '300';
const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

async function startService(delaySeconds: string) {
  const port = await findFreePort();
  const child = spawn(process.execPath, [join(ROOT, 'dist/apps/agent-environments/src/main.js')], {
    env: {
      PATH: process.env.PATH,
      SITE: 'intl',
      HOST: '127.0.0.1',
      PORT: String(port),
      SHUTDOWN_DELAY_SECONDS: delaySeconds,
    },
  });
  children.push(child);
  const log = testLog('shutdown-delay');
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => log.write(chunk));
  const health = () => fetch(`http://127.0.0.1:${port}/healthz`);
  await waitFor(async () => (await health()).ok, START_MILLIS);
  return { child, port, health, ended: once(child, 'exit') };
}

it('answers requests during the delay, but is not healthy', async () => {
  const { child, port, health } = await startService(LONG_SECONDS);
  child.kill('SIGTERM');
  await waitFor(async () => (await health()).status === 503);
  expect(await (await health()).json()).toEqual({ error: 'shutting down' });
  const answer = await fetch(`http://127.0.0.1:${port}/openapi.json`);
  expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
});

it('shuts down after the delay', async () => {
  const { child, ended } = await startService('1');
  child.kill('SIGTERM');
  expect(await ended).toEqual([null, 'SIGTERM']);
});

it.each(['SIGTERM', 'SIGINT'] as const)('does not wait any longer after %s', async (signal) => {
  const { child, health, ended } = await startService(LONG_SECONDS);
  child.kill('SIGTERM');
  await waitFor(async () => (await health()).status === 503);
  child.kill(signal);
  expect(await ended).toEqual([null, signal]);
});

it('does not wait after another signal than SIGTERM', async () => {
  const { child, ended } = await startService(LONG_SECONDS);
  child.kill('SIGINT');
  expect(await ended).toEqual([null, 'SIGINT']);
});
