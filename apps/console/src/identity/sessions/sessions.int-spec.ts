import { createHmac, createPrivateKey } from 'node:crypto';
import { sessionIssuer } from '@inference/guards';
import { type JWTPayload, SignJWT } from 'jose';
import { newSigningKey, SIGNING_KEY, TestSite } from '../../testing/console.fixture';

const OTHER_KEY = newSigningKey('other-key');

describe('a session', () => {
  let site: TestSite;
  let account: { accountId: string; token: string };
  const me = (token: string) => site.console.request('GET', '/api/auth/me', { token });

  beforeAll(async () => {
    site = await TestSite.start();
    account = await site.signedIn();
  });
  afterAll(() => site.stop());

  const claimsOf = (token: string) =>
    JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as JWTPayload;
  const sign = (claims: JWTPayload, key = SIGNING_KEY, kid = key.kid) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', kid })
      .sign(createPrivateKey({ key, format: 'jwk' }));
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

  it('is accepted with a valid token', async () => {
    expect((await me(await sign(claimsOf(account.token)))).status).toBe(200);
  });

  const forgeries: [string, (claims: JWTPayload, token: string) => string | Promise<string>][] = [
    ['of the other site', (claims) => sign({ ...claims, iss: sessionIssuer('cn') })],
    ['for another audience', (claims) => sign({ ...claims, aud: 'elsewhere' })],
    ['that has expired', (claims) => sign({ ...claims, exp: Math.floor(Date.now() / 1000) - 1 })],
    ['that never expires', ({ exp: _exp, ...claims }) => sign(claims)],
    ['without a session', ({ sid: _sid, ...claims }) => sign(claims)],
    ['of an unknown session', (claims) => sign({ ...claims, sid: 'sess_unknown' })],
    ['of another account', (claims) => sign({ ...claims, sub: 'acct_other' })],
    ['signed with another key', (claims) => sign(claims, OTHER_KEY)],
    ['signed with another key under our kid', (claims) => sign(claims, OTHER_KEY, SIGNING_KEY.kid)],
    ['with no signature at all', (claims) => `${encode({ alg: 'none' })}.${encode(claims)}.`],
    [
      'signed with our public key as an HMAC secret',
      (claims) => {
        const content = `${encode({ alg: 'HS256', kid: SIGNING_KEY.kid })}.${encode(claims)}`;
        return `${content}.${createHmac('sha256', SIGNING_KEY.x).update(content).digest('base64url')}`;
      },
    ],
    [
      'with changed claims',
      (claims, token) => {
        const [header, , signature] = token.split('.');
        return `${header}.${encode({ ...claims, sub: 'acct_other' })}.${signature}`;
      },
    ],
    ['cut short', (_claims, token) => token.slice(0, -4)],
  ];

  it.each(forgeries)('is 401 with a token %s', async (_name, forge) => {
    const answer = await me(await forge(claimsOf(account.token), account.token));
    expect([answer.status, answer.body]).toEqual([401, { error: expect.any(String) }]);
  });

  it('ends alone at logout, which clears the cookie', async () => {
    const { accountId } = account;
    const [first, second] = [
      await site.console.openSession(accountId),
      await site.console.openSession(accountId),
    ];
    const out = await site.console.request('POST', '/api/auth/logout', { token: first });
    expect([out.status, out.text]).toEqual([204, '']);
    expect(out.headers.get('set-cookie')).toMatch(/^session=; Path=\/; Expires=Thu, 01 Jan 1970 .*HttpOnly/);
    expect((await me(first)).status).toBe(401);
    expect((await me(second)).status).toBe(200);
    expect((await site.console.request('POST', '/api/auth/logout', { token: first })).status).toBe(401);
  });

  it('has the current role of the account', async () => {
    const { accountId, token } = await site.signedIn('admin');
    const publish = () =>
      site.console.request('PUT', '/api/admin/billing/pricing/gpus', { token, json: { gpus: [] } });
    expect((await publish()).status).toBe(200);
    await site.database.pool.query("UPDATE accounts.accounts SET role = 'user' WHERE id = $1", [accountId]);
    expect((await publish()).status).toBe(403);
  });
});
