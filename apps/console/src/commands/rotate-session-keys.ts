import { generateKeyPairSync } from 'node:crypto';
import { loadConfig } from '@inference/config';
import { randomBase62 } from '@inference/database';
import { z } from 'zod';
import { sessionFields } from '../identity/identity.config';
import { type SigningKey } from '../identity/sessions/signing-keys';

/**
 * Replaces the key that signs sessions in three steps. Every session stays valid throughout:
 *   rotate-session-keys publish|sign|retire
 * Reads SESSION_SIGNING_KEYS and, if set, SESSION_TTL_SECONDS. It prints the next value of SESSION_SIGNING_KEYS on
 * standard output and the instructions for the operator on standard error.
 */
const { SESSION_SIGNING_KEYS, SESSION_TTL_SECONDS } = sessionFields;
const environment = z.object({ SESSION_SIGNING_KEYS, SESSION_TTL_SECONDS });

type SigningKeys = [SigningKey, ...SigningKey[]];

/** The services fetch the keys every minute, and a cache between may keep the response for another minute. */
const PROPAGATION_SECONDS = 120;
const STAMPED_KID = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)_/;
const KID_DIGITS = 8;

/** When a key was made, according to its kid. A key that this command did not make counts as the oldest. */
function madeAt({ kid }: SigningKey): number {
  const stamp = STAMPED_KID.exec(kid)?.[1];
  return stamp === undefined ? -Infinity : Date.parse(stamp);
}

function newestOf(keys: SigningKeys): SigningKey {
  return keys.reduce((newest, key) => (madeAt(key) > madeAt(newest) ? key : newest));
}

function newKey(madeAtMillis: number): SigningKey {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x, y, d } = privateKey.export({ format: 'jwk' }) as { x: string; y: string; d: string };
  const kid = `${new Date(madeAtMillis).toISOString()}_${randomBase62(KID_DIGITS)}`;
  return { kty: 'EC', crv: 'P-256', kid, x, y, d };
}

interface Step {
  keys: SigningKey[];
  next: string;
}

const STEPS: Record<string, (keys: SigningKeys, ttlSeconds: number) => Step> = {
  publish: (keys) => {
    const newest = newestOf(keys);
    if (newest !== keys[0]) throw new Error(`${newest.kid} is published already and waits for: sign`);
    // Newer than the newest one, even if the clock was set back.
    const key = newKey(Math.max(Date.now(), madeAt(newest) + 1));
    const next = `Start the console with this value, wait ${PROPAGATION_SECONDS} seconds until every service knows the new key, then: sign`;
    return { keys: [...keys, key], next };
  },
  sign: (keys, ttlSeconds) => {
    const newest = newestOf(keys);
    if (newest === keys[0]) throw new Error(`${newest.kid} signs already; for a new key: publish`);
    const next = `Start the console with this value, wait ${ttlSeconds} seconds until the last session of the old key has expired, then: retire`;
    return { keys: [newest, ...keys.filter((key) => key !== newest)], next };
  },
  retire: ([signing, ...others]) => {
    if (others.length === 0) throw new Error(`there is no key beside ${signing.kid}, which signs`);
    const retired = others.map(({ kid }) => kid).join(', ');
    const next = `Retires ${retired}: start the console with this value; ${PROPAGATION_SECONDS} seconds later no service takes them any more`;
    return { keys: [signing], next };
  },
};

function rotate([name = '', ...rest]: string[]): Step {
  const step = Object.hasOwn(STEPS, name) && rest.length === 0 ? STEPS[name] : undefined;
  if (!step) throw new Error('the argument must be publish, sign or retire');
  const config = loadConfig(environment);
  return step(config.SESSION_SIGNING_KEYS as SigningKeys, config.SESSION_TTL_SECONDS);
}

try {
  const { keys, next } = rotate(process.argv.slice(2));
  console.log(JSON.stringify(keys));
  console.error(next);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
