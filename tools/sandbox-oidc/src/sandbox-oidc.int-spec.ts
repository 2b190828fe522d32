import { findFreePort } from '@inference/testing';
import * as client from 'openid-client';
import { type SignIn } from './browser';
import { readConfig } from './config';
import { SandboxOidc, type SandboxOidcOptions } from './sandbox-oidc';

const REDIRECT_URI = 'http://app.test/callback';
const CLIENT = { client_id: 'app', client_secret: 'app-secret', redirect_uris: [REDIRECT_URI] };
const NONCE = 'nonce-of-the-test';
const STATE = 'state-of-the-test';

async function discover({ issuer }: SandboxOidc): Promise<client.Configuration> {
  const { client_id, client_secret } = CLIENT;
  return client.discovery(new URL(issuer), client_id, {}, client.ClientSecretBasic(client_secret), {
    execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks],
  });
}

/** The whole code flow; the claims of the id token, and what userinfo says. */
async function signIn(sandbox: SandboxOidc, how: SignIn) {
  const configuration = await discover(sandbox);
  const verifier = client.randomPKCECodeVerifier();
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri: REDIRECT_URI,
    scope: 'openid email',
    state: STATE,
    nonce: NONCE,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  const returned = new URL(await sandbox.signIn(url.href, how));
  const checks = { expectedNonce: NONCE, expectedState: STATE, pkceCodeVerifier: verifier };
  const tokens = await client.authorizationCodeGrant(configuration, returned, checks);
  const claims = tokens.claims()!;
  return { claims, userinfo: await client.fetchUserInfo(configuration, tokens.access_token, claims.sub) };
}

describe('the sandbox provider', () => {
  let sandbox: SandboxOidc;
  const started: SandboxOidc[] = [];
  const start = async (options: Partial<SandboxOidcOptions> = {}) => {
    started.push(await SandboxOidc.start({ clients: [CLIENT], port: await findFreePort(), ...options }));
    return started.at(-1)!;
  };

  beforeAll(async () => (sandbox = await start()));
  afterEach(() => sandbox.injectFaults());
  afterAll(() => Promise.all(started.map((each) => each.kill())));

  it('signs a user in, with one subject for one e-mail address', async () => {
    const first = await signIn(sandbox, { email: 'Ada@example.com' });
    expect(first.claims).toMatchObject({ iss: sandbox.issuer, aud: 'app', nonce: NONCE });
    expect(first.claims.email).toBeUndefined();
    expect(first.userinfo).toMatchObject({ email: 'ada@example.com', email_verified: true });
    const again = await signIn(sandbox, { email: 'ada@example.com', verified: false });
    expect(again.claims.sub).toBe(first.claims.sub);
    expect(again.userinfo.email_verified).toBe(false);
    expect((await signIn(sandbox, { email: 'bob@example.com' })).claims.sub).not.toBe(first.claims.sub);
  });

  it('puts the address into the id token when configured so', async () => {
    const { claims } = await signIn(await start({ claimsIn: 'id_token' }), { email: 'ada@example.com' });
    expect(claims).toMatchObject({ email: 'ada@example.com', email_verified: true });
  });

  it('lets consent be denied', async () => {
    await expect(signIn(sandbox, { email: 'ada@example.com', decision: 'deny' })).rejects.toMatchObject({
      error: 'access_denied',
    });
  });

  it('requires PKCE with S256', async () => {
    const configuration = await discover(sandbox);
    for (const pkce of [{}, { code_challenge: 'x'.repeat(43), code_challenge_method: 'plain' }]) {
      const parameters = { redirect_uri: REDIRECT_URI, scope: 'openid', ...(pkce as object) };
      const url = client.buildAuthorizationUrl(configuration, parameters);
      expect(await sandbox.signIn(url.href, { email: 'ada@example.com' })).toContain('error=invalid_request');
    }
  });

  it('escapes the client id on the page', async () => {
    const client_id = '"><script>alert(1)</script>';
    const hostile = await start({ clients: [{ ...CLIENT, client_id }] });
    const configuration = await discover(hostile);
    const url = client.buildAuthorizationUrl(configuration, {
      client_id,
      redirect_uri: REDIRECT_URI,
      scope: 'openid',
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
    });
    const toPage = await fetch(url, { redirect: 'manual' });
    const cookies = toPage.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
    const page = await fetch(new URL(toPage.headers.get('location')!, hostile.issuer), {
      headers: { Cookie: cookies.join('; ') },
    });
    const html = await page.text();
    expect(html).toContain('&quot;&gt;&lt;script&gt;');
    expect(html).not.toContain('<script>');
  });

  it.each([
    ['another nonce', { id_token: { nonce: 'other' } }],
    ['another issuer', { id_token: { iss: 'https://other.example' } }],
    ['another audience', { id_token: { aud: 'other' } }],
    ['no nonce', { id_token: { nonce: null } }],
    ['a foreign signature', { foreign_key: true }],
    ['an error at the token endpoint', { status: { '/token': 500 } }],
    ['an error at the discovery', { status: { '/.well-known/openid-configuration': 503 } }],
  ])('answers with %s when the fault is injected', async (_name, faults) => {
    await sandbox.injectFaults(faults);
    await expect(signIn(sandbox, { email: 'ada@example.com' })).rejects.toThrow();
    await sandbox.injectFaults();
    await signIn(sandbox, { email: 'ada@example.com' });
  });

  it('can replace claims of userinfo', async () => {
    await sandbox.injectFaults({ userinfo: { email: 'other@example.com', email_verified: null } });
    const { userinfo } = await signIn(sandbox, { email: 'ada@example.com' });
    expect(userinfo).toEqual({ sub: expect.any(String), email: 'other@example.com' });
  });

  it('can leave requests without a response', async () => {
    await sandbox.injectFaults({ hang: ['/jwks'] });
    await expect(fetch(`${sandbox.issuer}/jwks`, { signal: AbortSignal.timeout(300) })).rejects.toThrow();
  });

  it('rejects an invalid configuration of faults', async () => {
    await expect(sandbox.injectFaults({ status: { '/token': 200 } })).rejects.toThrow('refused');
    await expect(sandbox.injectFaults({ rubbish: true } as object)).rejects.toThrow('refused');
  });

  it('restarts at the same address after a kill', async () => {
    const { issuer } = sandbox;
    await sandbox.kill();
    await expect(fetch(`${issuer}/healthz`)).rejects.toThrow();
    await sandbox.restart();
    expect(await (await fetch(`${issuer}/healthz`)).json()).toEqual({ status: 'ok' });
  });
});

describe('its configuration', () => {
  it('has defaults', () => {
    expect(readConfig({})).toEqual({ host: '127.0.0.1', port: 3091, clients: [], claimsIn: 'userinfo' });
  });

  it('reports all errors at once', () => {
    const faulty = { SANDBOX_OIDC_PORT: '70000', SANDBOX_OIDC_CLIENTS: '{', SANDBOX_OIDC_CLAIMS_IN: 'air' };
    for (const name of Object.keys(faulty)) expect(() => readConfig(faulty)).toThrow(name);
  });
});
