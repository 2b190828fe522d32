import { ConfigError } from '@inference/config';
import { readGatewayConfig } from './config';
import { testEnvironment } from './testing/gateway.fixture';

const UPSTREAM = { name: 'a', base_url: 'http://127.0.0.1:8000/v1/' };
const environment = (overrides: Record<string, string> = {}) => ({
  ...testEnvironment('postgres://gateway:pw@127.0.0.1/platform', [UPSTREAM]),
  ...overrides,
});

function faultsOf(overrides: Record<string, string>): string[] {
  try {
    readGatewayConfig(environment(overrides));
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).faults;
  }
  return [];
}
const faultsOfUpstreams = (upstreams: unknown) => faultsOf({ UPSTREAMS: JSON.stringify(upstreams) });

describe('readGatewayConfig', () => {
  it('has defaults for all optional variables', () => {
    expect(readGatewayConfig(environment())).toMatchObject({
      UPSTREAMS: [{ name: 'a', base_url: 'http://127.0.0.1:8000/v1' }],
      DATABASE_POOL_SIZE: 10,
      UPSTREAM_CONNECT_TIMEOUT_SECONDS: 5,
      UPSTREAM_FIRST_BYTE_TIMEOUT_SECONDS: 300,
      UPSTREAM_IDLE_TIMEOUT_SECONDS: 120,
      CLIENT_STALL_TIMEOUT_SECONDS: 60,
      STREAM_KEEP_ALIVE_SECONDS: 15,
      LEASE_AMOUNT: 10n ** 12n,
      LEASE_TTL_SECONDS: 30,
      SETTLEMENT_PATIENCE_SECONDS: 20,
      GATEWAY_WORKERS: 1,
    });
    expect(readGatewayConfig(environment()).MODEL_LIMITS).toBeUndefined();
  });

  it('reads all variables', () => {
    const upstreams = [
      { ...UPSTREAM, api_key: 'k', models: ['x', 'y/z'] },
      { name: 'b', base_url: 'https://models.example', models: { x: 'their-x' } },
    ];
    const limits = {
      x: { context_tokens: 8192, output_limit_field: 'max_completion_tokens' },
      '*': { max_output_tokens: 100 },
    };
    const config = readGatewayConfig(
      environment({
        UPSTREAMS: JSON.stringify(upstreams),
        MODEL_LIMITS: JSON.stringify(limits),
        LEASE_AMOUNT: '0.000000000001',
        LEASE_TTL_SECONDS: '1',
        UPSTREAM_IDLE_TIMEOUT_SECONDS: '0.5',
      }),
    );
    expect(config.UPSTREAMS).toMatchObject([{ models: ['x', 'y/z'] }, { models: { x: 'their-x' } }]);
    expect(config).toMatchObject({
      MODEL_LIMITS: limits,
      LEASE_AMOUNT: 1n,
      UPSTREAM_IDLE_TIMEOUT_SECONDS: 0.5,
    });
  });

  it('names all invalid variables at once, and no value', () => {
    const secret = 'too-short-secret';
    const faults = faultsOf({
      SITE: 'moon',
      PORT: '70000',
      DATABASE_URL: 'mysql://x',
      CONSOLE_URL: '',
      API_KEY_HASH_SECRET: secret,
      UPSTREAMS: '[{',
      MODEL_LIMITS: '{"x":{"context_tokens":0}}',
      LEASE_AMOUNT: '-1',
      LEASE_TTL_SECONDS: '0',
      SETTLEMENT_PATIENCE_SECONDS: 'long',
      UPSTREAM_CONNECT_TIMEOUT_SECONDS: '0',
      UPSTREAM_FIRST_BYTE_TIMEOUT_SECONDS: '99999',
    });
    expect(faults.map((fault) => fault.split(/[: ]/)[0]).sort()).toEqual([
      'API_KEY_HASH_SECRET',
      'CONSOLE_URL',
      'DATABASE_URL',
      'LEASE_AMOUNT',
      'LEASE_TTL_SECONDS',
      'MODEL_LIMITS',
      'PORT',
      'SETTLEMENT_PATIENCE_SECONDS',
      'SITE',
      'UPSTREAMS',
      'UPSTREAM_CONNECT_TIMEOUT_SECONDS',
      'UPSTREAM_FIRST_BYTE_TIMEOUT_SECONDS',
    ]);
    expect(faults.join()).not.toContain(secret);
  });

  it.each(['0', '257', 'all', '-1', '1.5'])('refuses %s workers', (workers) => {
    expect(faultsOf({ GATEWAY_WORKERS: workers })).toEqual([
      expect.stringMatching(/^GATEWAY_WORKERS: must be/),
    ]);
  });

  it('names missing variables', () => {
    expect(faultsOf({ UPSTREAM_ENCRYPTION_KEYS: '' })).toEqual(['UPSTREAM_ENCRYPTION_KEYS: is missing']);
    expect(faultsOf({ UPSTREAMS: '' })).toEqual([]);
  });

  it.each([
    ['an empty list', []],
    ['no list', {}],
    ['null', null],
    ['an upstream without a name', [{ base_url: UPSTREAM.base_url }]],
    ['a name with a space', [{ ...UPSTREAM, name: 'a b' }]],
    ['an invalid URL', [{ ...UPSTREAM, base_url: 'models' }]],
    ['a URL of another protocol', [{ ...UPSTREAM, base_url: 'ftp://models.example' }]],
    ['an empty key', [{ ...UPSTREAM, api_key: '' }]],
    ['a model without a name', [{ ...UPSTREAM, models: [''] }]],
    ['a model map to nothing', [{ ...UPSTREAM, models: { x: '' } }]],
    ['models of another type', [{ ...UPSTREAM, models: 'x' }]],
    ['duplicate names', [UPSTREAM, { ...UPSTREAM, base_url: 'http://127.0.0.1:8001/v1' }]],
  ])('refuses %s as upstreams', (_what, upstreams) => {
    const faults = faultsOfUpstreams(upstreams);
    expect(faults).not.toHaveLength(0);
    for (const fault of faults) expect(fault).toMatch(/^UPSTREAMS/);
  });

  it('allows upstreams in private networks, or else those that it names itself', () => {
    const isAllowed = (networks?: string) => {
      const { upstreams } = readGatewayConfig(
        environment({ UPSTREAM_PRIVATE_NETWORKS: networks ?? '', UPSTREAMS: JSON.stringify([UPSTREAM]) }),
      );
      return ['http://127.0.0.1:8000', 'https://127.0.0.1:8000', 'http://127.0.0.1:8001'].map((origin) =>
        upstreams.mayBePrivate(origin),
      );
    };
    expect(isAllowed('allowed')).toEqual([true, true, true]);
    expect(isAllowed()).toEqual([true, false, false]);
  });

  it('names the position of an error in the upstreams', () => {
    expect(faultsOfUpstreams([UPSTREAM, { ...UPSTREAM, name: 'b', base_url: 'x' }])).toEqual([
      'UPSTREAMS (at 1.base_url): must be a URL starting with http:// or https://',
    ]);
    expect(faultsOfUpstreams([UPSTREAM, UPSTREAM])).toEqual(['UPSTREAMS: names must differ']);
    expect(faultsOf({ UPSTREAMS: 'models' })).toEqual(['UPSTREAMS: must be valid JSON']);
  });

  it('accepts service credentials, and refuses a secret that two services share', () => {
    const [one, two, three] = ['1'.repeat(32), '2'.repeat(32), '3'.repeat(32)];
    const config = readGatewayConfig(
      environment({ AGENT_CREDENTIALS: `${one},${two}`, MEMO_CREDENTIALS: three }),
    );
    expect(config).toMatchObject({ AGENT_CREDENTIALS: [one, two], MEMO_CREDENTIALS: [three] });
    const shared = { AGENT_CREDENTIALS: `${one}, ${two}`, MEMO_CREDENTIALS: `${three},${two}` };
    const fault = 'MEMO_CREDENTIALS: must have no secret in common with AGENT_CREDENTIALS';
    expect(faultsOf(shared)).toEqual([fault]);
    expect(faultsOf({ ...shared, LEASE_TTL_SECONDS: '0' })).toEqual([
      expect.stringMatching(/^LEASE_TTL/),
      fault,
    ]);
    const ofConsole = { CONSOLE_CREDENTIALS: `${one},${three}` };
    expect(faultsOf({ AGENT_CREDENTIALS: one, MEMO_CREDENTIALS: three, ...ofConsole })).toEqual([
      'CONSOLE_CREDENTIALS: must have no secret in common with AGENT_CREDENTIALS',
      'CONSOLE_CREDENTIALS: must have no secret in common with MEMO_CREDENTIALS',
    ]);
    expect(faultsOf({ AGENT_CREDENTIALS: two, ...ofConsole })).toEqual([]);
    expect(faultsOf({ AGENT_CREDENTIALS: `${one},short`, MEMO_CREDENTIALS: `${two}é` })).toEqual([
      'AGENT_CREDENTIALS (at 1): must have at least 32 characters',
      'MEMO_CREDENTIALS (at 0): must have no commas, no spaces and no characters beyond ASCII',
    ]);
  });

  it.each(['1.5', '0', '3601', 'x'])('refuses a lease TTL of %s', (ttl) => {
    expect(faultsOf({ LEASE_TTL_SECONDS: ttl })).toHaveLength(1);
  });
});
