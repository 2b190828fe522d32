import { isIP } from 'node:net';
import { z } from 'zod';

/** Field types for the configuration schema of every app. They parse the strings of the environment. */

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

/** A secret of at least 32 characters: a shorter one might be guessed. */
export const secret = () => z.string().min(32, 'must have at least 32 characters');

/** A secret with which one service of the platform calls another. It is sent in a header and must not look like an API key. */
export const serviceSecret = () =>
  secret()
    .regex(/^[!-+\--~]*$/, 'must have no commas, no spaces and no characters beyond ASCII')
    .regex(/^(?!bfvk-)/, 'must not begin as API keys do');

/** Comma-separated secrets, all of which are valid. There are two of them during a rotation. */
export const secrets = (one: z.ZodType<string, string>) =>
  z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(one));

/** The secrets that are valid for one calling service. */
export const serviceSecrets = () => secrets(serviceSecret());

/** A name as RFC 6265 allows it, without the characters that other software takes for separators. */
export const cookieName = () =>
  z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/, 'must have 1 to 64 letters, digits and _ . -');

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

/** A number of hops, or a comma-separated list of addresses, subnets and Express's names of private ranges. */
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

/** `*` for any origin, or a comma-separated list. Browsers send no path, trailing slash or default port, so these are refused. */
const origins = () =>
  z
    .string()
    .transform((text) => (text.trim() === '*' ? ('*' as const) : text.split(',').map((part) => part.trim())))
    .refine(
      (value) => value === '*' || value.every(isOrigin),
      'must be * or a list of origins such as https://console.example.com',
    );

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** What may be in a header: printable ASCII. */
const HEADER_VALUE = /^[ -~]+$/;

/** Reads `name=value`; undefined if it is not valid. The value may be percent-encoded. */
function readHeader(text: string): [name: string, value: string] | undefined {
  const [, name = '', encoded = ''] = /^([^=]*)=(.*)$/s.exec(text.trim()) ?? [];
  try {
    const value = decodeURIComponent(encoded.trim());
    return HEADER_NAME.test(name.trim()) && HEADER_VALUE.test(value) ? [name.trim(), value] : undefined;
  } catch {
    return undefined;
  }
}

/** Comma-separated HTTP headers, as OpenTelemetry writes them: `name=value,name=value` with percent-encoded values. */
const headers = () =>
  z.string().transform((text, context) => {
    const pairs = text.split(',').map(readHeader);
    if (pairs.every((pair) => pair !== undefined)) return Object.fromEntries(pairs);
    context.addIssue({
      code: 'custom',
      message: 'must be a list such as name=value,name=value, with percent-encoded values',
    });
    return z.NEVER;
  });

/** Fields of every service: listening address, logging, CORS and traces. */
export const service = {
  SITE: site(),
  HOST: z.string().default('0.0.0.0'),
  PORT: port(),
  NODE_ENV: z.enum(['production', 'development', 'test']).default('production'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  /** Proxies in front of the service whose X-Forwarded-For is trusted; none by default. */
  TRUST_PROXY: trustedProxies().optional(),
  /** Origins whose pages may read responses in a browser (CORS); none by default. */
  CORS_ORIGINS: origins().optional(),
  /** Most bytes of request bodies that a process holds at once, 256 MiB unless set; one account or address may use a quarter of it. Memo's uploads may take as much again. */
  BODY_MEMORY_BYTES: integer(128 * 2 ** 20, 2 ** 40).optional(),
  /** Port of `GET /metrics`, for Prometheus, and of `GET /livez`; without it they are not served. */
  METRICS_PORT: port().optional(),
  /** Time from SIGTERM to the shutdown, in which `/healthz` is 503 and requests are still answered. */
  SHUTDOWN_DELAY_SECONDS: integer(0, 300).optional(),
  /** Root of an OTLP receiver of traces; without it nothing is traced. */
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl().optional(),
  /** Headers of the requests to the receiver, such as its credential. */
  OTEL_EXPORTER_OTLP_HEADERS: headers().optional(),
  OTEL_TRACES_SAMPLER: z
    .enum([
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ])
    .optional(),
  /** Part of the traces that the samplers with a ratio take. */
  OTEL_TRACES_SAMPLER_ARG: number(0, 1).optional(),
};

export const database = {
  DATABASE_URL: url('postgres', 'postgresql'),
  DATABASE_POOL_SIZE: integer(1, 200).default(10),
};

/** For services whose reports may be read from a replica. */
export const databaseReplica = {
  /** A streaming replica of the database. Without it the database itself answers all reads. */
  DATABASE_READ_URL: url('postgres', 'postgresql').optional(),
};

/** Training and gateway must have the same value. */
export const trainingPrice = {
  /** The model that usage of training names. It is not a model that a client can call. */
  TRAINING_PRICE_SLUG: z
    .string()
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9._/:-]{0,199}$/,
      'must have 1 to 200 letters, digits and . _ / : -, a letter or digit first',
    )
    .default('training'),
};

/** Secrets of the keyed hash under which API keys and workspace keys are stored. Every service has the same values. */
export const keyHash = {
  API_KEY_HASH_SECRET: secret(),
  /** While one secret replaces the other: keys that are stored under this one are accepted too. */
  API_KEY_HASH_OTHER_SECRET: secret().optional(),
};

/** Fields for the authentication of callers: the console, which signs sessions, and the secrets of the API key hash. */
export const callers = {
  CONSOLE_URL: httpUrl(),
  ...keyHash,
};

/** Comma-separated keys of 64 hexadecimal digits, of which the first one encrypts and all decrypt. */
export const encryptionKeys = () =>
  z
    .string()
    .transform((text) => text.split(',').map((key) => key.trim().toLowerCase()))
    .refine(
      (keys) => keys.every((key) => /^[0-9a-f]{64}$/.test(key)),
      'must be keys of 64 hexadecimal digits',
    )
    .refine((keys) => new Set(keys).size === keys.length, 'must name each key once')
    .refine((keys) => keys.every((key) => new Set(key).size > 4), 'must be random')
    .transform((keys) => keys.map((key) => Buffer.from(key, 'hex')));

/** Console and gateway must have the same values. */
export const upstreamEncryption = {
  /** They encrypt the credentials of upstreams. */
  UPSTREAM_ENCRYPTION_KEYS: encryptionKeys(),
};

/** Console and gateway must have the same value. */
export const upstreamNetworks = {
  /** Whether upstreams may be in private networks. */
  UPSTREAM_PRIVATE_NETWORKS: z.enum(['allowed', 'refused'], 'must be allowed or refused').default('refused'),
};

/** For services that accept sessions. All of them have the same value. */
export const staff = {
  /** `required`: staff have their role only in a session with a second factor. */
  STAFF_2FA: z.enum(['required', 'optional'], 'must be required or optional').default('required'),
};

/** The console sets the cookie, router-cost reads it: both must have the same values. */
export const sessionCookie = {
  /** Domain of the session cookie. Without it the cookie goes to the host of the console only. */
  COOKIE_DOMAIN: z
    .string()
    .regex(/^\.?([a-z0-9-]+\.)*[a-z0-9-]+$/i, 'must be a domain name')
    .optional(),
  /** Browsers do not tell the ports of a host apart: two sites on one host name need different names. */
  SESSION_COOKIE_NAME: cookieName().default('session'),
};
