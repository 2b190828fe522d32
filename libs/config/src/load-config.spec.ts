import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import * as env from './fields';
import { ConfigError, loadConfig } from './load-config';

const schema = z.object({
  ...env.service,
  ...env.database,
  ...env.callers,
  UPSTREAMS: env.json(z.array(z.object({ name: z.string() }))).optional(),
  RATIO: env.number(0, 10).optional(),
});

const VALID = {
  SITE: 'intl',
  PORT: '3000',
  DATABASE_URL: 'postgres://console:pw@db/platform',
  CONSOLE_URL: 'https://console.example.com/',
  API_KEY_HASH_SECRET: 'x'.repeat(32),
};

function faultsOf(environment: Record<string, string | undefined>, of: z.ZodType = schema): string[] {
  try {
    loadConfig(of, environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

describe('loadConfig', () => {
  it('returns typed values with defaults, and omits variables that the schema does not name', () => {
    const config = loadConfig(schema, { ...VALID, RATIO: '2.5', UPSTREAMS: '[{"name":"a"}]', PATH: '/bin' });
    expect(config).toEqual({
      ...VALID,
      PORT: 3000,
      HOST: '0.0.0.0',
      NODE_ENV: 'production',
      LOG_LEVEL: 'info',
      DATABASE_POOL_SIZE: 10,
      CONSOLE_URL: 'https://console.example.com',
      RATIO: 2.5,
      UPSTREAMS: [{ name: 'a' }],
    });
  });

  it('reads process.env by default', () => {
    expect(loadConfig(z.object({ NODE_ENV: z.string() }))).toEqual({ NODE_ENV: process.env.NODE_ENV });
  });

  it('treats an empty variable as absent', () => {
    expect(loadConfig(schema, { ...VALID, LOG_LEVEL: '' }).LOG_LEVEL).toBe('info');
    expect(faultsOf({ ...VALID, SITE: '' })).toEqual(['SITE: is missing']);
  });

  describe('of a variable that is given as a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'load-config-'));
    afterAll(() => rmSync(folder, { recursive: true }));

    const { API_KEY_HASH_SECRET: secret, ...others } = VALID;
    const given = (content: string, name = 'secret') => {
      const file = join(folder, name);
      writeFileSync(file, content);
      return file;
    };

    it('takes the value from the file, without the end of its last line', () => {
      for (const end of ['', '\n', '\r\n']) {
        const config = loadConfig(schema, { ...others, API_KEY_HASH_SECRET_FILE: given(secret + end) });
        expect(config.API_KEY_HASH_SECRET).toBe(secret);
        expect(config).not.toHaveProperty('API_KEY_HASH_SECRET_FILE');
      }
      const transformed = schema.transform((config) => config.API_KEY_HASH_SECRET);
      expect(loadConfig(transformed, { ...others, API_KEY_HASH_SECRET_FILE: given(secret) })).toBe(secret);
    });

    it('keeps line ends inside of the value, as a private key has them', () => {
      const key = z.object({ KEY: z.string() });
      expect(loadConfig(key, { KEY_FILE: given('-----BEGIN\nabc\n-----END\n') })).toEqual({
        KEY: '-----BEGIN\nabc\n-----END',
      });
    });

    it('is refused without the file, or if the variable is given as well, beside all other faults', () => {
      const missing = join(folder, 'missing');
      expect(faultsOf({ ...others, SITE: 'us', API_KEY_HASH_SECRET_FILE: missing })).toEqual([
        'API_KEY_HASH_SECRET_FILE: cannot be read (ENOENT)',
        'SITE: must be intl or cn',
      ]);
      expect(faultsOf({ ...others, API_KEY_HASH_SECRET_FILE: folder })).toEqual([
        'API_KEY_HASH_SECRET_FILE: cannot be read (EISDIR)',
      ]);
      expect(faultsOf({ ...VALID, API_KEY_HASH_SECRET_FILE: given('y'.repeat(32)) })).toEqual([
        'API_KEY_HASH_SECRET: is given twice, also by API_KEY_HASH_SECRET_FILE',
      ]);
    });

    it('is missing if the file is empty, and held to the same rules', () => {
      expect(faultsOf({ ...others, API_KEY_HASH_SECRET_FILE: given('\n') })).toEqual([
        'API_KEY_HASH_SECRET: is missing',
      ]);
      expect(faultsOf({ ...others, API_KEY_HASH_SECRET_FILE: given('short') })).toEqual([
        'API_KEY_HASH_SECRET: must have at least 32 characters',
      ]);
    });

    it('reads no file for a variable that the schema does not name', () => {
      expect(loadConfig(schema, { ...VALID, SSL_CERT_FILE: join(folder, 'missing') })).toMatchObject({
        SITE: 'intl',
      });
    });
  });

  it('names every missing variable at once', () => {
    expect(faultsOf({})).toEqual([
      'SITE: is missing',
      'PORT: is missing',
      'DATABASE_URL: is missing',
      'CONSOLE_URL: is missing',
      'API_KEY_HASH_SECRET: is missing',
    ]);
  });

  it('names all invalid and missing variables at once', () => {
    const faults = faultsOf({
      SITE: 'mars',
      PORT: '70000',
      LOG_LEVEL: 'loud',
      DATABASE_URL: 'mysql://db',
      DATABASE_POOL_SIZE: 'ten',
      API_KEY_HASH_SECRET: 'short',
      UPSTREAMS: '[{"name":1},{}]',
      RATIO: '-1',
    });
    expect(faults).toEqual([
      'SITE: must be intl or cn',
      'PORT: must be between 0 and 65535',
      expect.stringMatching(/^LOG_LEVEL: /),
      'DATABASE_URL: must be a URL starting with postgres:// or postgresql://',
      'DATABASE_POOL_SIZE: must be a whole number',
      'CONSOLE_URL: is missing',
      'API_KEY_HASH_SECRET: must have at least 32 characters',
      expect.stringMatching(/^UPSTREAMS \(at 0\.name\): /),
      expect.stringMatching(/^UPSTREAMS \(at 1\.name\): /),
      'RATIO: must be a number',
    ]);
  });

  it('contains no value in the error', () => {
    const secret = 'hunter2';
    const environment = Object.fromEntries(
      ['SITE', 'PORT', 'NODE_ENV', 'LOG_LEVEL', 'RATIO', 'API_KEY_HASH_SECRET'].map((name) => [name, secret]),
    );
    const urls = { DATABASE_URL: `http://u:${secret}@h`, CONSOLE_URL: `ftp://${secret}` };
    for (const upstreams of [secret, `["${secret}"]`, `[{"name":{"x":"${secret}"}}]`]) {
      const faults = faultsOf({ ...environment, ...urls, UPSTREAMS: upstreams });
      expect(faults).toHaveLength(9);
      expect(new ConfigError(faults).message).not.toContain(secret);
    }
  });

  it('lists the errors in its message', () => {
    expect(new ConfigError(['A: is missing', 'B: is wrong']).message).toBe(
      'The configuration is not usable:\n  - A: is missing\n  - B: is wrong',
    );
  });

  it('shows the message of a rule about several variables', () => {
    const range = z
      .object({ MIN: env.integer(0, 99).default(5), MAX: env.integer(0, 99).default(9) })
      .superRefine(({ MIN, MAX }, context) => {
        if (MIN <= MAX) return;
        context.addIssue({ code: 'custom', path: ['MAX'], message: 'is less than MIN' });
        context.addIssue({ code: 'custom', message: 'has no room' });
      });
    expect(faultsOf({ MIN: '10' }, range)).toEqual(['MAX: is less than MIN', 'the environment: has no room']);
  });
});

describe('configuration fields', () => {
  const accepts = (field: z.ZodType, value: string) => field.safeParse(value).success;

  it.each(['0', '65535', '080'])('accepts the port %s', (value) =>
    expect(accepts(env.port(), value)).toBe(true),
  );

  it.each(['65536', '-1', '1.5', '1e3', ' 80', '0x50', '', '９'])('refuses the port "%s"', (value) =>
    expect(accepts(env.port(), value)).toBe(false),
  );

  it.each(['.5', '1.', '1e3', 'NaN', 'Infinity', '-0.1', '10.1'])('refuses the number "%s"', (value) =>
    expect(accepts(env.number(0, 10), value)).toBe(false),
  );

  it.each(['ftp://host', 'host:80', '//host', 'http//host', 'javascript:alert(1)'])(
    'refuses the address "%s"',
    (value) => expect(accepts(env.httpUrl(), value)).toBe(false),
  );

  it('removes trailing slashes from a URL', () => {
    expect(env.httpUrl().parse('http://h/api//')).toBe('http://h/api');
  });

  it('accepts several secrets of a service, each long enough and valid in a header', () => {
    const [one, two] = ['1'.repeat(32), '2'.repeat(32)];
    expect(env.serviceSecrets().parse(`${one}, ${two}`)).toEqual([one, two]);
    const refused = [`${one},`, `${one},short`, `${one} x`, `${one}é`, `bfvk-${one}`, ','.repeat(40)];
    for (const text of refused) expect([text, accepts(env.serviceSecrets(), text)]).toEqual([text, false]);
    for (const text of [...refused, `${one},${two}`])
      expect([text, accepts(env.serviceSecret(), text)]).toEqual([text, false]);
    expect(env.serviceSecret().parse(one)).toBe(one);
  });

  it('refuses invalid JSON and JSON that does not match the schema', () => {
    const field = env.json(z.object({ a: z.number() }));
    expect(field.parse('{"a":1}')).toEqual({ a: 1 });
    expect(field.safeParse('{').error?.issues[0]?.message).toBe('must be valid JSON');
    expect(accepts(field, '{"a":"1"}')).toBe(false);
  });
});
