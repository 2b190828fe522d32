import jsQR from 'jsqr';
import { PNG } from 'pngjs';
import { TestSite } from '../../testing/console.fixture';
import {
  Authenticator,
  challenge,
  eventTypes,
  FrozenClock,
  type Secured,
  securedAccount,
  verify,
} from './two-factor.fixture';

const ERROR = { error: expect.any(String) };

let site: TestSite;
let clock: FrozenClock;

beforeAll(async () => {
  clock = new FrozenClock();
  site = await TestSite.start();
});
afterAll(async () => {
  clock.thaw();
  await site.stop();
});

const post = (path: string, token: string, json?: unknown) =>
  site.console.request('POST', `/api/auth/2fa/${path}`, { token, json });
const me = (token: string) => site.console.request('GET', '/api/auth/me', { token });
const login = (account: Secured) =>
  site.console.request('POST', '/api/auth/login', {
    json: { identifier: account.email, password: account.password },
  });

/** Reads a QR code like the camera of a phone. */
function readQrCode(dataUrl: string): string | undefined {
  const png = PNG.sync.read(Buffer.from(dataUrl.replace('data:image/png;base64,', ''), 'base64'));
  return jsQR(new Uint8ClampedArray(png.data), png.width, png.height)?.data;
}

describe('setting up two factors', () => {
  it('ends with 403 until the e-mail address is confirmed', async () => {
    const { token, accountId } = await site.signedIn();
    const { otpauth_url: url } = (await post('setup', token)).body as { otpauth_url: string };
    await site.database.pool.query('UPDATE accounts.accounts SET email_verified_at = NULL WHERE id = $1', [
      accountId,
    ]);
    const refusal = [403, { error: 'the e-mail address of the account has to be confirmed first' }];
    const code = new Authenticator(url).code();
    const enabled = await post('enable', token, { code });
    expect([enabled.status, enabled.body]).toEqual(refusal);
    expect((await me(token)).body).toMatchObject({ two_factor_enabled: false });
    await site.confirmAddress(accountId);
    expect((await post('enable', token, { code })).status).toBe(200);
  });

  it('returns a secret as text, as a link and as a QR code', async () => {
    const { token } = await site.signedIn();
    const answer = await post('setup', token);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const { secret, otpauth_url: url, qr_code: qrCode } = answer.body as Record<string, string>;
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(readQrCode(qrCode!)).toBe(url);
    const link = new URL(url!);
    expect(link.protocol + link.host).toBe('otpauth:totp');
    expect(Object.fromEntries(link.searchParams)).toMatchObject({
      secret,
      issuer: 'Inference Platform',
      digits: '6',
      period: '30',
    });
  });

  it('stores the secret encrypted', async () => {
    const { token, accountId } = await site.signedIn();
    const { secret } = (await post('setup', token)).body as { secret: string };
    const { rows } = await site.database.pool.query<{ sealed_secret: string }>(
      'SELECT sealed_secret FROM accounts.totp WHERE account_id = $1',
      [accountId],
    );
    expect(rows[0]!.sealed_secret).toMatch(/^eyJ/);
    expect(Buffer.from(rows[0]!.sealed_secret, 'base64url').toString('latin1')).not.toContain(secret);
  });

  it('needs a code to enable them, and makes a new secret when it is called again', async () => {
    const { token, accountId } = await site.signedIn();
    expect((await post('enable', token, { code: '123456' })).status).toBe(409);
    const first = (await post('setup', token)).body as { otpauth_url: string };
    const second = (await post('setup', token)).body as { otpauth_url: string };
    const old = new Authenticator(first.otpauth_url);
    const current = new Authenticator(second.otpauth_url);
    for (const code of [old.code(), current.wrongCode(), current.code(2), current.code(-2)]) {
      const answer = await post('enable', token, { code });
      expect([answer.status, answer.body]).toEqual([400, ERROR]);
    }
    expect((await me(token)).body).toMatchObject({ two_factor_enabled: false });
    const enabled = await post('enable', token, { code: ` ${current.code().replace(/^.../, '$& ')}` });
    expect(enabled.status).toBe(200);
    expect((await me(token)).body).toMatchObject({ two_factor_enabled: true });
    expect((enabled.body as { recovery_codes: string[] }).recovery_codes).toHaveLength(10);
    for (const [path, body] of [
      ['setup', {}],
      ['enable', { code: current.code(1) }],
    ] as const) {
      const again = await post(path, token, body);
      expect([again.status, again.body]).toEqual([409, ERROR]);
    }
    expect(await eventTypes(site, accountId)).toContain('two_factor.enabled');
  });

  it.each([[{}], [{ code: '' }], [{ code: ' ' }], [{ code: 123456 }], [{ code: '1'.repeat(65) }], [[]]])(
    'is 400 to enable with %j',
    async (json) => {
      const { token } = await site.signedIn();
      const answer = await post('enable', token, json);
      expect([answer.status, answer.body]).toEqual([400, ERROR]);
    },
  );

  it('ends the other sessions and keeps the one that enables them', async () => {
    const { token, accountId } = await site.signedIn();
    const other = await site.console.openSession(accountId);
    const { otpauth_url: url } = (await post('setup', token)).body as { otpauth_url: string };
    expect((await post('enable', token, { code: new Authenticator(url).code() })).status).toBe(200);
    expect((await me(token)).status).toBe(200);
    expect((await me(other)).status).toBe(401);
  });

  it('is enabled once by two concurrent requests', async () => {
    const { token } = await site.signedIn();
    const { otpauth_url: url } = (await post('setup', token)).body as { otpauth_url: string };
    const json = { code: new Authenticator(url).code() };
    const answers = await Promise.all(Array.from({ length: 10 }, () => post('enable', token, json)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(409)]);
  });
});

describe('signing in with two factors', () => {
  it('returns a challenge and no session, then a session for the code', async () => {
    const account = await securedAccount(site, clock);
    const first = await login(account);
    expect(first.status).toBe(200);
    expect(first.body).toEqual({
      challenge: {
        id: expect.stringMatching(/^chal_[0-9A-Za-z]{32}$/),
        methods: ['totp', 'recovery_code'],
        expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      },
    });
    expect(first.headers.get('set-cookie')).toBeNull();
    const { id } = (first.body as { challenge: { id: string } }).challenge;
    const second = await verify(site, id, account.authenticator.code());
    expect([second.status, second.body]).toEqual([
      200,
      { token: expect.any(String), user: { id: account.accountId, email: account.email } },
    ]);
    const { token } = second.body as { token: string };
    expect(second.headers.get('set-cookie')).toContain(`session=${token}; `);
    expect((await me(token)).status).toBe(200);
    expect((await eventTypes(site, account.accountId)).slice(-2)).toEqual([
      'login.challenged',
      'session.opened',
    ]);
  });

  it('accepts no code twice, and none older than the last one', async () => {
    const account = await securedAccount(site, clock);
    const { authenticator, accountId } = account;
    const used = authenticator.code();
    expect((await verify(site, await challenge(site, accountId), used)).status).toBe(200);
    for (const code of [used, authenticator.code(-1)]) {
      const answer = await verify(site, await challenge(site, accountId), code);
      expect([answer.status, answer.body]).toEqual([401, ERROR]);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
    expect((await verify(site, await challenge(site, accountId), authenticator.code(1))).status).toBe(200);
  });

  it('does not accept the code again with which they were enabled', async () => {
    const account = await securedAccount(site, clock);
    const code = account.authenticator.code(-1);
    expect((await verify(site, await challenge(site, account.accountId), code)).status).toBe(401);
  });

  it('tolerates a clock that is one step off, but not two', async () => {
    const account = await securedAccount(site, clock);
    clock.tick(5);
    for (const [steps, status] of [
      [-2, 401],
      [2, 401],
      [-1, 200],
      [1, 200],
    ] as const) {
      const id = await challenge(site, account.accountId);
      expect([steps, (await verify(site, id, account.authenticator.code(steps))).status]).toEqual([
        steps,
        status,
      ]);
    }
  });

  it('ends a challenge with its fifth wrong code', async () => {
    const { accountId, authenticator } = await securedAccount(site, clock);
    const id = await challenge(site, accountId);
    for (let n = 0; n < 5; n++) expect((await verify(site, id, authenticator.wrongCode())).status).toBe(401);
    expect((await verify(site, id, authenticator.code())).status).toBe(401);
    const another = await challenge(site, accountId);
    for (let n = 0; n < 4; n++)
      expect((await verify(site, another, authenticator.wrongCode())).status).toBe(401);
    expect((await verify(site, another, authenticator.code())).status).toBe(200);
    const types = await eventTypes(site, accountId);
    expect(types.filter((type) => type === 'second_factor.failed')).toHaveLength(9);
  });

  it('accepts a challenge once, and not after its expiry', async () => {
    const { accountId, authenticator } = await securedAccount(site, clock);
    const used = await challenge(site, accountId);
    expect((await verify(site, used, authenticator.code())).status).toBe(200);
    clock.tick();
    expect((await verify(site, used, authenticator.code())).status).toBe(401);
    const late = await challenge(site, accountId);
    await site.database.pool.query(
      'UPDATE accounts.login_challenges SET expires_at = now() WHERE account_id = $1 AND ended_at IS NULL',
      [accountId],
    );
    expect((await verify(site, late, authenticator.code())).status).toBe(401);
  });

  it('has challenges that are valid only as challenges and only for their account', async () => {
    const [ann, ben] = [await securedAccount(site, clock), await securedAccount(site, clock)];
    const id = await challenge(site, ann.accountId);
    expect((await me(id)).status).toBe(401);
    expect((await verify(site, id, ben.authenticator.code())).status).toBe(401);
    expect((await verify(site, id, ben.recoveryCodes[0]!)).status).toBe(401);
    const reset = { token: id, password: 'correct horse battery' };
    expect((await site.console.request('POST', '/api/auth/password/reset', { json: reset })).status).toBe(
      400,
    );
    const { rows } = await site.database.pool.query<{ row: string }>(
      'SELECT c::text AS row FROM accounts.login_challenges c',
    );
    expect(rows.filter(({ row }) => row.includes(id.slice('chal_'.length)))).toEqual([]);
  });

  it('ends the challenges that began before a new password', async () => {
    const { accountId, authenticator, token, password } = await securedAccount(site, clock);
    const id = await challenge(site, accountId);
    const json = { current_password: password, new_password: 'another horse battery' };
    expect((await site.console.request('PUT', '/api/auth/password', { token, json })).status).toBe(204);
    expect((await verify(site, id, authenticator.code())).status).toBe(401);
    expect((await verify(site, await challenge(site, accountId), authenticator.code())).status).toBe(200);
  });

  it.each([
    [{ code: '123456' }],
    [{ challenge_id: '', code: '123456' }],
    [{ challenge_id: 7, code: '123456' }],
    [{ challenge_id: 'x'.repeat(201), code: '123456' }],
    [{ challenge_id: 'chal_x' }],
    [{ challenge_id: 'chal_x', code: ['123456'] }],
    [null],
  ])('is 400 to verify %j', async (json) => {
    const answer = await site.console.request('POST', '/api/auth/2fa/verify', { json });
    expect([answer.status, answer.body]).toEqual([400, ERROR]);
  });

  it.each(['chal_unknown', "' OR 1=1 --", '密码'])('is 401 to verify the challenge %j', async (id) => {
    expect((await verify(site, id, '123456')).status).toBe(401);
  });
});

describe('turning two factors off', () => {
  it('needs the password and a code, and ends the other sessions', async () => {
    const account = await securedAccount(site, clock);
    const { token, authenticator, password, accountId } = account;
    const other = await site.console.openSession(accountId);
    for (const [json, status] of [
      [{ password }, 400],
      [{ code: authenticator.code() }, 400],
      [{ password: 'wrong password', code: authenticator.code() }, 403],
      [{ password, code: authenticator.wrongCode() }, 403],
    ] as const) {
      const answer = await post('disable', token, json);
      expect([json, answer.status, answer.body]).toEqual([json, status, ERROR]);
    }
    const done = await post('disable', token, { password, code: authenticator.code() });
    expect([done.status, done.text]).toEqual([204, '']);
    expect((await me(other)).status).toBe(401);
    expect((await me(token)).body).toMatchObject({ two_factor_enabled: false });
    expect((await login(account)).body).toMatchObject({ token: expect.any(String) });
    expect((await post('disable', token, { password, code: '123456' })).status).toBe(409);
    expect(await eventTypes(site, accountId)).toContain('two_factor.disabled');
  });

  it('needs only the code for an account without a password', async () => {
    const { accountId, token, authenticator, recoveryCodes } = await securedAccount(site, clock);
    await site.database.pool.query('UPDATE accounts.accounts SET password_hash = NULL WHERE id = $1', [
      accountId,
    ]);
    expect((await post('recovery-codes', token, { code: authenticator.wrongCode() })).status).toBe(403);
    expect((await post('recovery-codes', token, { code: authenticator.code() })).status).toBe(200);
    expect((await post('disable', token, { code: recoveryCodes[0] })).status).toBe(403);
    expect((await post('disable', token, { code: authenticator.code(1) })).status).toBe(204);
  });

  it('accepts a recovery code too', async () => {
    const { token, password, recoveryCodes } = await securedAccount(site, clock);
    const json = { password, code: recoveryCodes[3] };
    expect((await post('disable', token, json)).status).toBe(204);
  });
});
