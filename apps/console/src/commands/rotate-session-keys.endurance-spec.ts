import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { rememberEnvironment } from '@inference/testing';
import { readConsoleConfig } from '../config';
import { newSigningKey, testEnvironment } from '../testing/console.fixture';

const SCRIPT = join(__dirname, '../../../../dist/apps/console/src/commands/rotate-session-keys.js');

type Key = ReturnType<typeof newSigningKey>;

interface Outcome {
  code: number;
  out: string;
  err: string;
}

function run(args: string[], environment: Record<string, string>): Promise<Outcome> {
  rememberEnvironment(environment);
  const env = { PATH: process.env.PATH, ...environment };
  return new Promise((resolve) => {
    execFile(process.execPath, [SCRIPT, ...args], { env }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    );
  });
}

const rotate = (step: string, keys: Key[], ttl?: string) =>
  run([step], {
    SESSION_SIGNING_KEYS: JSON.stringify(keys),
    ...(ttl === undefined ? {} : { SESSION_TTL_SECONDS: ttl }),
  });

/** The printed value as the console parses it. */
async function next(step: string, keys: Key[]): Promise<Key[]> {
  const { code, out, err } = await rotate(step, keys);
  expect([code, out.split('\n').length, err.split('\n').length]).toEqual([0, 2, 2]);
  for (const { d } of [...keys, ...(JSON.parse(out) as Key[])]) expect(err).not.toContain(d);
  const environment = { ...testEnvironment('postgres://console@db.test/x'), SESSION_SIGNING_KEYS: out };
  return readConsoleConfig(environment).SESSION_SIGNING_KEYS;
}

const kidsOf = (keys: Key[]) => keys.map(({ kid }) => kid);

it('replaces the signing key in three steps, any number of times', async () => {
  let keys = [newSigningKey()];
  for (let round = 0; round < 2; round++) {
    const [old] = keys;
    const published = await next('publish', keys);
    expect(published[0]).toEqual(old);
    expect(published).toHaveLength(2);
    const fresh = published[1]!;
    expect([fresh.kid, fresh.d]).not.toEqual([old!.kid, old!.d]);
    expect(await next('sign', published)).toEqual([fresh, old]);
    keys = await next('retire', [fresh, old!]);
    expect(keys).toEqual([fresh]);
  }
});

it('prints the next step and how long to wait', async () => {
  const keys = [newSigningKey()];
  expect((await rotate('publish', keys)).err).toMatch(/wait 120 seconds .*sign$/m);
  const published = await next('publish', keys);
  expect((await rotate('sign', published)).err).toMatch(/wait 1800 seconds .*retire$/m);
  expect((await rotate('sign', published, '600')).err).toContain('wait 600 seconds');
  const signing = await next('sign', published);
  expect((await rotate('retire', signing)).err).toContain(`Retires ${keys[0]!.kid}: `);
});

it('publishes the next key before the former one is retired', async () => {
  const signing = await next('sign', await next('publish', [newSigningKey('first')]));
  const published = await next('publish', signing);
  expect(kidsOf(published).slice(0, 2)).toEqual(kidsOf(signing));
  const again = await next('sign', published);
  expect(kidsOf(again)).toEqual([published[2]!.kid, ...kidsOf(signing)]);
  expect(await next('retire', again)).toEqual([published[2]]);
});

it('refuses steps out of order', async () => {
  const keys = [newSigningKey('first')];
  const published = await next('publish', keys);
  const refused: [string, Key[], RegExp][] = [
    ['publish', published, /is published already and waits for: sign/],
    ['sign', keys, /^first signs already; for a new key: publish/],
    ['sign', await next('sign', published), /signs already/],
    ['retire', keys, /^there is no key beside first/],
  ];
  for (const [step, given, message] of refused) {
    expect(await rotate(step, given)).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(message),
    });
  }
});

it('names the fault of its input without secrets', async () => {
  const { d, ...publicKey } = newSigningKey('first');
  const wrong: [string[], Record<string, string>, string][] = [
    [['publish'], {}, 'SESSION_SIGNING_KEYS: is missing'],
    [['publish'], { SESSION_SIGNING_KEYS: `[{"d":"${d}"` }, 'must be valid JSON'],
    [['publish'], { SESSION_SIGNING_KEYS: JSON.stringify([publicKey]) }, '(at 0.d): is missing'],
    [
      ['sign'],
      { SESSION_SIGNING_KEYS: JSON.stringify([{ ...newSigningKey(), d }]) },
      'no matching pair of a private and a public key',
    ],
    [
      ['sign'],
      { SESSION_SIGNING_KEYS: JSON.stringify([newSigningKey()]), SESSION_TTL_SECONDS: 'long' },
      'SESSION_TTL_SECONDS: must be a whole number',
    ],
    [[], {}, 'the argument must be publish, sign or retire'],
    [['rotate'], {}, 'the argument must be publish, sign or retire'],
    [['toString'], {}, 'the argument must be publish, sign or retire'],
    [['publish', 'sign'], {}, 'the argument must be publish, sign or retire'],
  ];
  for (const [args, environment, message] of wrong) {
    const { code, out, err } = await run(args, environment);
    expect([code, out, err]).toEqual([1, '', expect.stringContaining(message)]);
    expect(err).not.toContain(d);
  }
});
