import { spawnSync } from 'node:child_process';
import { Logger } from '@nestjs/common';
import Environment from './jest/environment.cjs';
import { isPackage, requirePackage } from './jest/packages.cjs';

/** Makes an environment, changes something, and ends the environment. */
async function during(change: () => void): Promise<void> {
  const environment = new Environment({ projectConfig: { fakeTimers: {} } } as never);
  change();
  await environment.teardown();
}

const scope = globalThis as Record<string, unknown>;

it('removes globals of a test file, and restores those that it replaced', async () => {
  const { fetch } = globalThis;
  await during(() => {
    scope.leftover = 1;
    globalThis.fetch = () => Promise.reject(new Error());
  });
  expect(scope).not.toHaveProperty('leftover');
  expect(globalThis.fetch).toBe(fetch);
});

it('restores the environment and the functions of the process', async () => {
  const { exit, env } = process;
  const path = env.PATH;
  await during(() => {
    process.env.LEFTOVER = '1';
    process.env.PATH = '';
    process.exit = () => undefined as never;
  });
  expect(process.env).toMatchObject({ PATH: path });
  expect(process.env).not.toHaveProperty('LEFTOVER');
  expect(process.exit).toBe(exit);
  await during(() => (process.env = {}));
  expect(process.env).toBe(env);
});

it('ends a worker that Jest replaces at once, also if a service waits for the same signal', () => {
  const environment = JSON.stringify(require.resolve('./jest/environment.cjs'));
  const script = `require(${environment}); process.on('SIGTERM', () => {}); setTimeout(() => {}, 10_000); process.kill(process.pid, 'SIGTERM')`;
  const { status, signal } = spawnSync(process.execPath, ['-e', script]);
  expect({ status, signal }).toEqual({ status: 143, signal: null });
});

it('loads a package once, and resets what tests change in it', async () => {
  const load = () => requirePackage(__filename, '@nestjs/common') as { Logger: typeof Logger };
  const loggerOf = () => (load().Logger as unknown as { staticInstanceRef: unknown }).staticInstanceRef;
  const logger = loggerOf();
  await during(() => load().Logger.overrideLogger(false));
  expect(load().Logger).toBe(Logger);
  expect(loggerOf()).toBe(logger);
});

it.each([
  ['typeorm', true],
  ['@nestjs/common/enums/route-paramtypes.enum', true],
  ['fs', false],
  ['node:fs/promises', false],
  ['./packages.cjs', false],
  ['/tmp/file.js', false],
  ['@inference/testing', false],
  ['@jest/globals', false],
])('knows whether %s is a package', (name, expected) => {
  expect(isPackage(name)).toBe(expected);
});
