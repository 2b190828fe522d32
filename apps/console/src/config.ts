import { createECDH } from 'node:crypto';
import { env, loadConfig, type Site } from '@inference/config';
import { decimalToPicos, InvalidAmountError } from '@inference/money';
import { z } from 'zod';

export const CONSOLE_CONFIG = Symbol('CONSOLE_CONFIG');

const UNCOMPRESSED_POINT = Buffer.from([4]);

/** Whether d is the private half of the point (x, y): a mixed-up pair would sign what nobody can verify. */
function isKeyPair({ x, y, d }: { x: string; y: string; d: string }): boolean {
  const [publicX, publicY, privateKey] = [x, y, d].map((part) => Buffer.from(part, 'base64url'));
  try {
    const pair = createECDH('prime256v1');
    pair.setPrivateKey(privateKey!);
    return pair.getPublicKey().equals(Buffer.concat([UNCOMPRESSED_POINT, publicX!, publicY!]));
  } catch {
    return false;
  }
}

const coordinate = () => z.string('is missing').regex(/^[A-Za-z0-9_-]{43}$/, 'must be 32 bytes in base64url');

const signingKey = z
  .object({
    kty: z.literal('EC', 'must be EC'),
    crv: z.literal('P-256', 'must be P-256'),
    kid: z.string('is missing').min(1, 'must not be empty').max(200, 'must have at most 200 characters'),
    x: coordinate(),
    y: coordinate(),
    d: coordinate(),
  })
  .refine(isKeyPair, 'is no matching pair of a private and a public key');

const signingKeys = z
  .array(signingKey, 'must be an array of private keys (JWK)')
  .min(1, 'must hold at least one key')
  .refine((keys) => new Set(keys.map(({ kid }) => kid)).size === keys.length, 'must have unique kids');

/** Payment providers count in hundredths. */
const MONEY_DECIMALS = 2;

function moneyPicos(text: string, context: z.RefinementCtx): bigint {
  try {
    const picos = decimalToPicos(text, MONEY_DECIMALS);
    if (picos > 0n) return picos;
    context.addIssue({ code: 'custom', message: 'must be positive' });
  } catch (error) {
    if (!(error instanceof InvalidAmountError)) throw error;
    context.addIssue({ code: 'custom', message: error.message });
  }
  return z.NEVER;
}

const money = () => z.string().transform(moneyPicos);
const moneyList = () =>
  z.string().transform((text, context) => text.split(',').map((part) => moneyPicos(part.trim(), context)));

const fields = z.object({
  ...env.service,
  ...env.database,
  /** Private EC P-256 keys as JWK, each with a kid: the first one signs, all are published. */
  SESSION_SIGNING_KEYS: env.json(signingKeys),
  SESSION_TTL_SECONDS: env.integer(1, 604_800).default(1_800),
  API_KEY_HASH_SECRET: env.secret(),
  SIGNUP: z.enum(['open', 'closed'], 'must be open or closed').default('open'),
  SITE_NAME: z.string().max(200).default('Inference Platform'),
  /** Where customers reach this service and the others. */
  CONSOLE_URL: env.httpUrl(),
  GATEWAY_URL: env.httpUrl(),
  TRAINING_URL: env.httpUrl(),
  ROUTER_URL: env.httpUrl(),
  AGENT_URL: env.httpUrl(),
  MEMO_URL: env.httpUrl(),
  /** Of the session cookie; without it the cookie goes to this host only. */
  COOKIE_DOMAIN: z
    .string()
    .regex(/^\.?([a-z0-9-]+\.)*[a-z0-9-]+$/i, 'must be a domain name')
    .optional(),
  /** Scales every rate limit. */
  RATE_LIMIT_MULTIPLIER: env.number(0.01, 1_000_000).default(1),
  MIN_TOPUP: money().optional(),
  MAX_TOPUP: money().optional(),
  /** Comma-separated amounts that the wallet page offers. */
  TOPUP_PRESETS: moneyList().optional(),
  LOW_BALANCE_THRESHOLD: money().optional(),
});

type Fields = z.output<typeof fields>;

/** Amounts in picos of the site's currency. */
interface TopupPicos {
  min: bigint;
  max: bigint;
  presets: bigint[];
  lowBalanceThreshold: bigint;
}

const toPicos = (amounts: number[]) => amounts.map((amount) => decimalToPicos(amount));

const DEFAULT_TOPUP: Record<Site, TopupPicos> = {
  intl: {
    min: decimalToPicos(5),
    max: decimalToPicos(10_000),
    presets: toPicos([10, 20, 50, 100, 500]),
    lowBalanceThreshold: decimalToPicos(5),
  },
  cn: {
    min: decimalToPicos(10),
    max: decimalToPicos(50_000),
    presets: toPicos([50, 100, 200, 500, 1_000]),
    lowBalanceThreshold: decimalToPicos(20),
  },
};

function topupOf(config: Fields): TopupPicos {
  const defaults = DEFAULT_TOPUP[config.SITE];
  const min = config.MIN_TOPUP ?? defaults.min;
  const max = config.MAX_TOPUP ?? defaults.max;
  return {
    min,
    max,
    // Moving the bounds alone must not stop the start over presets that nobody set.
    presets: config.TOPUP_PRESETS ?? defaults.presets.filter((amount) => amount >= min && amount <= max),
    lowBalanceThreshold: config.LOW_BALANCE_THRESHOLD ?? defaults.lowBalanceThreshold,
  };
}

/** A variable at fault has no amount to compare. */
const exceeds = (amount: unknown, limit: unknown) =>
  typeof amount === 'bigint' && typeof limit === 'bigint' && amount > limit;

function hasOrderedBounds({ SITE, MIN_TOPUP, MAX_TOPUP }: Fields): boolean {
  const defaults: TopupPicos | undefined = DEFAULT_TOPUP[SITE];
  return !exceeds(MIN_TOPUP ?? defaults?.min, MAX_TOPUP ?? defaults?.max);
}

function hasPresetsInBounds({ SITE, MIN_TOPUP, MAX_TOPUP, TOPUP_PRESETS }: Fields): boolean {
  const defaults: TopupPicos | undefined = DEFAULT_TOPUP[SITE];
  const presets = Array.isArray(TOPUP_PRESETS) ? TOPUP_PRESETS : [];
  return !presets.some(
    (amount) => exceeds(MIN_TOPUP ?? defaults?.min, amount) || exceeds(amount, MAX_TOPUP ?? defaults?.max),
  );
}

/** These too are looked at when other variables are at fault, so that every fault is named at once. */
const when = () => true;

const schema = fields
  .refine(hasOrderedBounds, { when, path: ['MAX_TOPUP'], message: 'is less than MIN_TOPUP' })
  .refine(hasPresetsInBounds, {
    when,
    path: ['TOPUP_PRESETS'],
    message: 'must lie between MIN_TOPUP and MAX_TOPUP',
  })
  .transform((config) => ({ ...config, topup: topupOf(config) }));

export type ConsoleConfig = z.output<typeof schema>;

/** The console's configuration from its environment; throws a ConfigError that names every fault. */
export function readConsoleConfig(environment?: NodeJS.ProcessEnv): ConsoleConfig {
  return loadConfig(schema, environment);
}
