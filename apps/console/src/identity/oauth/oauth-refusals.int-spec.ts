import { type Answer } from '../../testing/console.fixture';
import { cookieIn } from '../../testing/cookies.fixture';
import { SealedTokens } from '../sealed-tokens';
import { OAuthFlowsService } from './oauth-flows.service';
import { BROWSER, clientSecretOf, JSON_ONLY, OAuthSite, UI_URL } from './oauth.fixture';

const EMAIL = 'ada@example.com';
const REFUSED = { error: 'the sign-in through the provider was refused; begin again' };
const INVALID = { error: 'the sign-in is too old or was begun elsewhere; begin again' };
const UNAVAILABLE = { error: 'the provider cannot be used now' };

/** Everything of the clock except Date stays real. */
const TIMERS = [
  ...(['hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const),
  ...(['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const),
];

describe('a sign-in through a provider is refused', () => {
  let all: OAuthSite;

  beforeAll(async () => (all = await OAuthSite.start()));
  afterEach(() => {
    jest.restoreAllMocks();
    return Promise.all([all.alpha.injectFaults(), all.beta.injectFaults()]);
  });
  afterAll(() => all.stop());

  const sessions = async () => {
    const { rows } = await all.site.database.pool.query('SELECT count(*) FROM accounts.sessions');
    return Number(rows[0].count);
  };
  /** Signs in at alpha up to the callback. */
  const atCallback = async () => {
    const { authorizationUrl, cookie } = await all.client.begin('alpha');
    return { returned: await all.alpha.signIn(authorizationUrl, { email: EMAIL }), cookie };
  };
  const changed = (url: string, changes: Record<string, string | null>) => {
    const { origin, pathname, searchParams } = new URL(url);
    for (const [name, value] of Object.entries(changes)) {
      if (value === null) searchParams.delete(name);
      else searchParams.set(name, value);
    }
    return `${origin}${pathname}?${searchParams}`;
  };
  /** Checks that work opens no session, and is answered with JSON for a script and a redirect for a browser. */
  const expectRefusal = async (
    attempt: (headers: Record<string, string>) => Promise<Answer>,
    status: number,
    body: object,
    code: string,
  ) => {
    const before = await sessions();
    const answer = await attempt(JSON_ONLY);
    expect([answer.status, answer.body]).toEqual([status, body]);
    expect(cookieIn(answer, 'session')).toBeUndefined();
    expect(answer.headers.getSetCookie().join()).toMatch(
      /^oauth_flow=; Path=\/api\/auth\/oauth; Expires=Thu, 01 Jan 1970/,
    );
    const inBrowser = await attempt(BROWSER);
    expect([inBrowser.status, inBrowser.headers.get('location')]).toEqual([
      302,
      `${UI_URL}/sign-in#error=${code}`,
    ]);
    expect(cookieIn(inBrowser, 'session')).toBeUndefined();
    expect(cookieIn(inBrowser, 'refresh')).toBeUndefined();
    expect(await sessions()).toBe(before);
  };

  it.each([
    ['without its state', { state: null }],
    ['with another state', { state: 'A'.repeat(43) }],
    ['without a code', { code: null }],
  ])('%s', async (_name, changes) => {
    await expectRefusal(
      async (headers) => {
        const { returned, cookie } = await atCallback();
        return all.client.finish(changed(returned, changes), cookie, headers);
      },
      400,
      INVALID,
      'flow_invalid',
    );
  });

  it('refuses a callback with two states', async () => {
    const { returned, cookie } = await atCallback();
    expect((await all.client.finish(`${returned}&state=other`, cookie)).status).toBe(400);
  });

  it('refuses a callback without the cookie, or with one that is invalid, altered or of another flow', async () => {
    const other = await all.client.begin('alpha');
    const { cookie: ofBeta } = await all.client.begin('beta');
    const wrong = [null, 'oauth_flow=', 'oauth_flow=rubbish', `${other.cookie}A`, other.cookie, ofBeta];
    for (const cookie of wrong) {
      const { returned } = await atCallback();
      await expectRefusal(
        (headers) => all.client.finish(returned, cookie, headers),
        400,
        INVALID,
        'flow_invalid',
      );
    }
  });

  it('refuses the whole flow of another provider', async () => {
    const { cookie, authorizationUrl } = await all.client.begin('beta');
    const state = new URL(authorizationUrl).searchParams.get('state');
    const { returned } = await atCallback();
    const answer = await all.client.finish(changed(returned, { state }), cookie);
    expect([answer.status, answer.body]).toEqual([400, INVALID]);
  });

  it('refuses a token that was sealed for another purpose', async () => {
    const { returned, cookie } = await atCallback();
    const sealed = all.site.console.app.get(SealedTokens);
    const flow = await all.site.console.app
      .get(OAuthFlowsService)
      .open('alpha', cookie.slice('oauth_flow='.length));
    const forged = `oauth_flow=${await sealed.seal('totp', 'alpha', { ...flow })}`;
    expect((await all.client.finish(returned, forged)).status).toBe(400);
    const genuine = `oauth_flow=${await sealed.seal('oauth_flow', 'alpha', { ...flow })}`;
    expect((await all.client.finish(returned, genuine)).status).toBe(200);
  });

  it('refuses two flows in one browser, and clears neither', async () => {
    const { returned, cookie } = await atCallback();
    const { cookie: other } = await all.client.begin('alpha');
    for (const both of [`${cookie}; ${other}`, `${other}; ${cookie}`]) {
      const answer = await all.client.finish(returned, both);
      expect([answer.status, answer.body]).toEqual([
        401,
        { error: 'the cookie oauth_flow was sent with different values' },
      ]);
      const inBrowser = await all.client.finish(returned, both, BROWSER);
      expect(inBrowser.headers.get('location')).toBe(`${UI_URL}/sign-in#error=sign_in_refused`);
      for (const { headers } of [answer, inBrowser]) expect(headers.getSetCookie()).toEqual([]);
    }
    expect((await all.client.finish(returned, `${cookie}; ${cookie}`)).status).toBe(200);
  });

  it('refuses a flow after ten minutes', async () => {
    const { returned, cookie } = await atCallback();
    jest.useFakeTimers({ now: Date.now() + 601_000, doNotFake: [...TIMERS] });
    const answer = await all.client.finish(returned, cookie);
    jest.useRealTimers();
    expect([answer.status, answer.body]).toEqual([400, INVALID]);
    expect((await all.client.finish(returned, cookie)).status).toBe(200);
  });

  it('refuses a flow the second time, even with a new code', async () => {
    const { returned, cookie } = await atCallback();
    expect((await all.client.finish(returned, cookie)).status).toBe(200);
    await expectRefusal(
      (headers) => all.client.finish(returned, cookie, headers),
      401,
      REFUSED,
      'sign_in_refused',
    );
    // A new code for the same flow, which the provider would accept.
    const { authorizationUrl, cookie: fresh } = await all.client.begin('alpha');
    const codes = [
      await all.alpha.signIn(authorizationUrl, { email: EMAIL }),
      await all.alpha.signIn(authorizationUrl, { email: EMAIL }),
    ];
    expect((await all.client.finish(codes[0]!, fresh)).status).toBe(200);
    expect((await all.client.finish(codes[1]!, fresh)).status).toBe(401);
  });

  it('all but once for fifty concurrent callbacks', async () => {
    const { authorizationUrl, cookie } = await all.client.begin('alpha');
    const codes: string[] = [];
    for (let i = 0; i < 5; i++) codes.push(await all.alpha.signIn(authorizationUrl, { email: EMAIL }));
    const before = await sessions();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => all.client.finish(codes[i % codes.length]!, cookie)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(49);
    expect(await sessions()).toBe(before + 1);
  });

  it('refuses a code that was used, is invented or belongs to another flow', async () => {
    const used = await atCallback();
    await all.client.finish(used.returned, used.cookie);
    const { returned: foreign } = await atCallback();
    for (const code of [used.returned, foreign]
      .map((url) => new URL(url).searchParams.get('code')!)
      .concat('made-up')) {
      await expectRefusal(
        async (headers) => {
          const { returned, cookie } = await atCallback();
          return all.client.finish(changed(returned, { code }), cookie, headers);
        },
        401,
        REFUSED,
        'sign_in_refused',
      );
    }
  });

  it('refuses the code of another provider', async () => {
    const beta = await all.client.begin('beta');
    const ofBeta = new URL(await all.beta.signIn(beta.authorizationUrl, { email: EMAIL })).searchParams;
    for (const iss of [all.beta.issuer, all.alpha.issuer, null]) {
      const { returned, cookie } = await atCallback();
      const mixedUp = changed(returned, { code: ofBeta.get('code'), iss });
      const answer = await all.client.finish(mixedUp, cookie);
      expect([answer.status, answer.body]).toEqual([401, REFUSED]);
    }
  });

  it.each([
    ['another nonce', { id_token: { nonce: 'other' } }],
    ['no nonce', { id_token: { nonce: null } }],
    ['another issuer', { id_token: { iss: 'https://other.example' } }],
    ['another audience', { id_token: { aud: 'other' } }],
    ['an end in the past', { id_token: { exp: 1_000_000_000 } }],
    ['an empty subject', { id_token: { sub: '' } }],
    ['a subject that cannot be stored', { id_token: { sub: 'a\0b' } }],
    ['a subject without end', { id_token: { sub: 'x'.repeat(256) } }],
    ['a signature of another key', { foreign_key: true }],
  ])('refuses a sign-in when the id token has %s', async (_name, told) => {
    await all.alpha.injectFaults(told);
    await expectRefusal(
      async (headers) => {
        const { returned, cookie } = await atCallback();
        return all.client.finish(returned, cookie, headers);
      },
      401,
      REFUSED,
      'sign_in_refused',
    );
  });

  it('names the clock of the host where the times of the id token are wrong by it', async () => {
    await all.alpha.injectFaults({ id_token: { exp: 1_000_000_000 } });
    const { returned, cookie } = await atCallback();
    const before = await sessions();
    const now = Date.now.bind(Date);
    jest.spyOn(Date, 'now').mockImplementation(() => now() - 600_000);
    const answer = await all.client.finish(returned, cookie);
    const error = expect.stringMatching(/the clock of the server is \d+ s behind the database's$/);
    expect([answer.status, answer.body]).toEqual([503, { error, code: 'wrong_clock' }]);
    expect(await sessions()).toBe(before);
  });

  it('refuses a sign-in when consent is denied', async () => {
    await expectRefusal(
      async (headers) => {
        const { authorizationUrl, cookie } = await all.client.begin('alpha');
        const returned = await all.alpha.signIn(authorizationUrl, { email: EMAIL, decision: 'deny' });
        expect(returned).toContain('error=access_denied');
        return all.client.finish(returned, cookie, headers);
      },
      403,
      { error: 'consent was denied at the provider' },
      'access_denied',
    );
  });

  it('repeats no text of the provider in a refusal', async () => {
    for (const error of ['server_error', 'invalid_scope', '<script>alert(1)</script>']) {
      const { returned, cookie } = await atCallback();
      const hostile = changed(returned, { error, error_description: 'call 555-0100', code: null });
      const answer = await all.client.finish(hostile, cookie);
      expect([answer.status, answer.body]).toEqual([503, UNAVAILABLE]);
    }
  });

  it('reveals no secret in a refusal', async () => {
    const { returned, cookie } = await atCallback();
    const flow = await all.site.console.app
      .get(OAuthFlowsService)
      .open('alpha', cookie.slice('oauth_flow='.length));
    const code = new URL(returned).searchParams.get('code')!;
    const answers = [await all.client.finish(returned, cookie), await all.client.finish(returned, cookie)];
    await all.alpha.injectFaults({ id_token: { nonce: 'other' } });
    const refused = await atCallback();
    answers.push(await all.client.finish(refused.returned, refused.cookie, BROWSER));
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 302]);
    const everything = answers.map(({ text, headers }) => text + JSON.stringify([...headers])).join();
    for (const secret of [clientSecretOf('alpha'), code, flow!.codeVerifier, flow!.nonce, flow!.state])
      expect(everything).not.toContain(secret);
  });

  it.each(['rubbish', 'ALPHA', '%00', '__proto__', 'a'.repeat(300)])(
    'refuses a sign-in at %s, which is not a provider',
    async (name) => {
      const error = { error: expect.any(String) };
      for (const path of [`/api/auth/oauth/${name}`, `/api/auth/oauth/${name}/callback?code=1&state=1`]) {
        const answer = await all.client.get(path);
        expect([answer.status, answer.body]).toEqual([404, error]);
        expect(cookieIn(answer, 'oauth_flow')).toBeUndefined();
      }
    },
  );

  it.each(['return_to=/a&return_to=/b', 'returnTo=/a'])('refuses to begin with %s', async (query) => {
    expect((await all.client.get(`/api/auth/oauth/alpha?${query}`)).status).toBe(400);
  });

  it('refuses a sign-in after too many requests', async () => {
    for (const [path, status] of [
      ['/api/auth/oauth/beta', 302],
      ['/api/auth/oauth/beta/callback', 400],
    ] as const) {
      const { console, client } = await all.another({ RATE_LIMIT_MULTIPLIER: '0.1' });
      const statuses: number[] = [];
      for (let i = 0; i < 4; i++) statuses.push((await client.get(path)).status);
      await console.close();
      expect(statuses).toEqual([status, status, status, 429]);
    }
  });
});
