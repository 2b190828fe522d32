import { isIP } from 'node:net';
import { z } from 'zod';

/** Building blocks of every app's configuration schema: values arrive as strings from the environment. */

const digits = /^\d+$/;

export const integer = (min: number, max: number) =>
  z
    .string()
    .regex(digits, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be between ${min} and ${max}`);

export const number = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+(\.\d+)?$/, 'must be a number')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be between ${min} and ${max}`);

export const port = () => integer(0, 65535);

export const url = (...protocols: string[]) =>
  z
    .string()
    .refine(
      (value) => URL.canParse(value) && protocols.includes(new URL(value).protocol.slice(0, -1)),
      `must be a URL starting with ${protocols.map((protocol) => `${protocol}://`).join(' or ')}`,
    )
    .transform((value) => value.replace(/\/+$/, ''));

export const httpUrl = () => url('http', 'https');

/** A secret too short to resist guessing stops the start. */
export const secret = () => z.string().min(32, 'must have at least 32 characters');

/** What one of the platform's own services calls another one with: it goes into a header, and is no customer's key. */
export const serviceSecret = () =>
  secret()
    .regex(/^[!-+\--~]*$/, 'must have no commas, no spaces and no characters beyond ASCII')
    .regex(/^(?!bfvk-)/, 'must not begin as API keys do');

/** All that such a service may call with, comma-separated: several while one replaces another. */
export const serviceSecrets = () =>
  z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(serviceSecret()));

export const json = <T extends z.ZodType>(schema: T) =>
  z
    .string()
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown;
      } catch {
        context.addIssue({ code: 'custom', message: 'must be valid JSON' });
        return z.NEVER;
      }
    })
    .pipe(schema);

export const site = () => z.enum(['intl', 'cn'], 'must be intl or cn');

const PROXY_NAMES = new Set(['loopback', 'linklocal', 'uniquelocal']);

function isProxy(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  if (PROXY_NAMES.has(text)) return true;
  const version = isIP(address);
  const bitsFit = bits === undefined || (digits.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
  return version !== 0 && bitsFit && rest.length === 0;
}

/** A number of hops, or a list of addresses, subnets and Express's names for private ranges. */
const trustedProxies = () =>
  z
    .string()
    .transform((text) => (digits.test(text) ? Number(text) : text.split(',').map((part) => part.trim())))
    .refine(
      (proxies) => typeof proxies === 'number' || proxies.every(isProxy),
      'must be a number of hops, or a list of addresses, subnets, loopback, linklocal or uniquelocal',
    );

function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

/** `*` for any, or the origins as browsers write them: a path, a trailing slash or a default port would never match. */
const origins = () =>
  z
    .string()
    .transform((text) => (text.trim() === '*' ? ('*' as const) : text.split(',').map((part) => part.trim())))
    .refine(
      (value) => value === '*' || value.every(isOrigin),
      'must be * or a list of origins such as https://console.example.com',
    );

/** What every service reads: where it listens, how it logs, and which pages may call it. */
export const service = {
  SITE: site(),
  HOST: z.string().default('0.0.0.0'),
  PORT: port(),
  NODE_ENV: z.enum(['production', 'development', 'test']).default('production'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  /** Proxies in front of the service whose X-Forwarded-For is believed; none by default. */
  TRUST_PROXY: trustedProxies().optional(),
  /** Origins whose pages may read the answers in a browser; none by default. */
  CORS_ORIGINS: origins().optional(),
};

export const database = {
  DATABASE_URL: url('postgres', 'postgresql'),
  DATABASE_POOL_SIZE: integer(1, 200).default(10),
};

/** What training and gateway must agree on. */
export const trainingPrice = {
  /** Under which slug of the published model prices training tokens are; it is no model that anybody can call. */
  TRAINING_PRICE_SLUG: z
    .string()
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9._/:-]{0,199}$/,
      'must have 1 to 200 letters, digits and . _ / : -, a letter or digit first',
    )
    .default('training'),
};

/** What a service needs to recognise a caller: the console that signs sessions, and the key hash secret. */
export const callers = {
  CONSOLE_URL: httpUrl(),
  API_KEY_HASH_SECRET: secret(),
};
