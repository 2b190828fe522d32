import { TestSite } from '../../testing/console.fixture';
import { PASSWORD, refresh, register } from '../refresh/refresh.fixture';
import { FrozenClock, securedAccount } from '../second-factor/two-factor.fixture';

/** Longer than a session token lives. */
const STEPS_AHEAD = 70;

let site: TestSite;

beforeAll(async () => {
  site = await TestSite.start();
});
afterAll(() => site.stop());

const post = (path: string, json: object) => site.console.request('POST', `/api/auth/${path}`, { json });
const REFUSED = {
  status: 503,
  body: {
    error: expect.stringMatching(/^nobody can sign in here: the clock of the server is \d+ s ahead of/),
    code: 'wrong_clock',
  },
};

it('refuses a sign-in whose token would be invalid at once, and uses nothing up', async () => {
  const browser = await register(site.console);
  const login = { identifier: browser.email, password: PASSWORD };
  const stranger = { email: 'other@example.com', password: PASSWORD };
  const clock = new FrozenClock();
  clock.tick(STEPS_AHEAD);
  const refusals = [
    await post('login', login),
    await post('register', stranger),
    await refresh(site.console, browser.value),
  ];
  clock.thaw();
  for (const refusal of refusals) expect(refusal).toMatchObject(REFUSED);
  expect((await post('login', login)).status).toBe(200);
  expect((await post('register', stranger)).status).toBe(201);
  expect((await refresh(site.console, browser.value)).status).toBe(200);
});

it('refuses the right code of an authenticator that only the clock of the host makes wrong', async () => {
  const clock = new FrozenClock();
  const { email, password, authenticator } = await securedAccount(site, clock);
  clock.thaw();
  const challenge = async () => {
    const { body } = await post('login', { identifier: email, password });
    return (body as { challenge: { id: string } }).challenge.id;
  };
  const id = await challenge();
  const code = authenticator.code(1);
  const slow = new FrozenClock();
  slow.tick(-6);
  const right = await post('2fa/verify', { challenge_id: id, code });
  const wrong = await post('2fa/verify', { challenge_id: id, code: authenticator.wrongCode() });
  slow.thaw();
  expect(right).toMatchObject({ status: 503, body: { code: 'wrong_clock' } });
  expect(wrong.status).toBe(401);
  expect((await post('2fa/verify', { challenge_id: id, code })).status).toBe(200);
});
