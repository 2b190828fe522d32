import { ConfigError } from '@inference/config';
import { readConsoleConfig } from '../config';
import { testEnvironment } from '../testing/console.fixture';

const environment = testEnvironment('postgres://console@db.test/platform');
const ALPHA = {
  name: 'alpha',
  issuer: 'https://alpha.example',
  client_id: 'console',
  client_secret: 'hunter2-hunter2',
};

const providersOf = (providers: unknown) =>
  readConsoleConfig({
    ...environment,
    OAUTH_PROVIDERS: typeof providers === 'string' ? providers : JSON.stringify(providers),
  }).OAUTH_PROVIDERS;

function faultsOf(providers: unknown): string {
  try {
    providersOf(providers);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return '';
}

describe('OAUTH_PROVIDERS', () => {
  it('is optional', () => {
    expect(readConsoleConfig(environment).OAUTH_PROVIDERS).toEqual([]);
    expect(providersOf([])).toEqual([]);
  });

  it('has defaults for the scope and the authentication method', () => {
    expect(providersOf([ALPHA])).toEqual([
      {
        ...ALPHA,
        scope: 'openid email',
        token_endpoint_auth_method: 'client_secret_basic',
        groups_claim: 'groups',
        staff_roles: [],
      },
    ]);
  });

  it.each([
    'http://localhost:3091',
    'http://127.0.0.1:3091',
    'http://[::1]:3091',
    'https://a.example/realms/b',
  ])('takes the issuer %s', (issuer) => {
    expect(providersOf([{ ...ALPHA, issuer }])[0]!.issuer).toBe(issuer);
  });

  it.each([
    ['no JSON', '[', 'must be valid JSON'],
    ['no array', {}, 'must be an array'],
    ['an issuer without TLS', [{ ...ALPHA, issuer: 'http://alpha.example' }], 'must be https'],
    ['one that only looks local', [{ ...ALPHA, issuer: 'http://localhost.evil.example' }], 'must be https'],
    ['an issuer that is no URL', [{ ...ALPHA, issuer: 'alpha' }], 'must be a URL'],
    ['an issuer of another kind', [{ ...ALPHA, issuer: 'ftp://alpha.example' }], 'must be a URL'],
    ['an issuer with a query', [{ ...ALPHA, issuer: 'https://alpha.example?a=1' }], 'no query'],
    ['no name', [{ ...ALPHA, name: undefined }], 'is missing'],
    ['a name with a slash', [{ ...ALPHA, name: 'a/b' }], 'must be 1 to 32'],
    ['an empty client id', [{ ...ALPHA, client_id: '' }], 'must not be empty'],
    ['no client secret', [{ ...ALPHA, client_secret: undefined }], 'is missing'],
    ['a scope without openid', [{ ...ALPHA, scope: 'email' }], 'must include openid'],
    ['another way to send it', [{ ...ALPHA, token_endpoint_auth_method: 'none' }], 'client_secret_post'],
    ['one name twice', [ALPHA, { ...ALPHA, issuer: 'https://beta.example' }], 'must have unique names'],
    ['one issuer twice', [ALPHA, { ...ALPHA, name: 'beta' }], 'must have unique issuers'],
    [
      'one issuer twice, written in two ways',
      [ALPHA, { ...ALPHA, name: 'beta', issuer: 'https://ALPHA.example/' }],
      'must have unique issuers',
    ],
  ])('refuses %s', (_name, providers, fault) => {
    const message = faultsOf(providers);
    expect(message).toContain('OAUTH_PROVIDERS');
    expect(message).toContain(fault);
    expect(message).not.toContain('hunter2');
  });
});
