import { newId } from '@inference/database';
import { ROUTES_IN_VIEW, VIEW_HEADER } from '@inference/guards';
import { type UnitRate } from '@inference/metering';
import { publishPrices } from '@inference/testing';
import { type Answer, settleRequest, type SignedIn, TestSite } from '../../testing/console.fixture';
import { AccountViewsService } from './account-views.service';

const RATES: UnitRate[] = [{ unit: 'per_million_tokens', ratePicos: 1_000n }];
const BALANCE_PICOS = 10n ** 12n;
const REASON = 'Asks why the balance differs, ticket 4711.';

let site: TestSite;
let staff: SignedIn;
let customer: SignedIn;
let priceListId: bigint;

beforeAll(async () => {
  site = await TestSite.start();
  const prices = [{ slug: 'chat', unit: RATES[0]!.unit, ratePicos: 1_000n }];
  priceListId = await publishPrices(site.database.pool, prices);
  // The console itself does not end views during a test.
  jest.spyOn(AccountViewsService.prototype, 'endDue').mockResolvedValue();
});
beforeEach(async () => {
  staff = await site.signedIn('support');
  customer = await site.signedIn('user', BALANCE_PICOS);
});
afterAll(() => site.stop());

interface View {
  id: string;
  expires_at: string;
}
type Events = { events: { type: string; actor: string; actor_id: string | null; details: object }[] };

const query = (text: string, values: unknown[]) => site.database.pool.query(text, values);
const call = (method: string, path: string, { token } = staff, json?: unknown) =>
  site.console.request(method, path, { token, ...(json !== undefined && { json }) });
const viewsOf = ({ accountId } = customer) => `/api/admin/accounts/${accountId}/views`;
const bodyOf = <T>({ body }: Answer) => body as T;
const begin = async (who = staff, whose = customer) => {
  const answer = await call('POST', viewsOf(whose), who, { reason: REASON });
  expect(answer.status).toBe(201);
  return bodyOf<View>(answer);
};
/** Asks in the place of a customer. */
const look = (path: string, { id }: { id: string }, { token } = staff, method = 'GET') =>
  site.console.request(method, path, {
    token,
    headers: { [VIEW_HEADER]: id },
    ...(method === 'GET' ? {} : { json: {} }),
  });
const refusal = (code: string) => ({ status: 403, body: { error: expect.any(String), code } });
const eventsOf = async ({ token } = customer) =>
  bodyOf<Events>(await call('GET', '/api/auth/events', { ...customer, token })).events;

describe('staff in the place of a customer', () => {
  it('reads what the customer reads, and nothing of its own', async () => {
    const requestId = await served(customer);
    const view = await begin();
    const paths = ROUTES_IN_VIEW.map((route) => route.replace('GET ', ''))
      .filter((path) => path !== '/api/billing/payments/:id')
      .map((path) => path.replace(':requestId', requestId));
    for (const path of paths) {
      const [seen, own] = [await look(path, view), await call('GET', path, customer)];
      expect([path, seen.status]).toEqual([path, 200]);
      // No session of the list is that of the request.
      const text = own.text.replace('"current":true', '"current":false');
      expect([path, seen.text]).toEqual([path, text]);
    }
    expect((await look('/api/auth/me', view)).body).toMatchObject({
      ...{ id: customer.accountId, role: 'user', staff_routes: [], second_factor_required: false },
    });
    const keys = await look('/api/api-keys', view);
    expect(keys.text).toContain(customer.apiKeyId);
    expect(keys.text).not.toContain(customer.apiKey);
    expect((await look('/api/auth/me', view)).headers.get('cache-control')).toBe('no-store');
  });

  it('gets no link with which a payment of the customer is paid', async () => {
    const url = 'https://pay.test/checkout';
    await query(
      `INSERT INTO billing.payments (id, account_id, provider, amount_minor, currency, status, expires_at, checkout_type, checkout_url)
       VALUES ('pay_Viewed', $1, 'card_provider', 2000, 'USD', 'pending', now() + interval '1 hour', 'redirect', $2)`,
      [customer.accountId, url],
    );
    const view = await begin();
    for (const path of ['', '/pay_Viewed']) {
      const [seen, own] = [
        await look(`/api/billing/payments${path}`, view),
        await call('GET', `/api/billing/payments${path}`, customer),
      ];
      expect([seen.status, seen.text.includes('pay_Viewed')]).toEqual([200, true]);
      expect([seen.text.includes(url), own.text.includes(url)]).toEqual([false, true]);
    }
  });

  it('sees no other account, whatever ids it names', async () => {
    const stranger = await site.signedIn('user', BALANCE_PICOS);
    const requestId = await served(stranger);
    const view = await begin();
    expect((await look(`/api/billing/requests/${requestId}`, view)).status).toBe(404);
    const list = await look(`/api/billing/requests?request_id=${requestId}`, view);
    expect(list.text).not.toContain(stranger.accountId);
    // Routes for staff are none of the customer's.
    expect(await look(`/api/admin/accounts/${stranger.accountId}`, view)).toMatchObject(
      refusal('read_only_view'),
    );
    expect(await look(viewsOf(stranger), view, staff, 'POST')).toMatchObject(refusal('read_only_view'));
    expect((await call('GET', '/api/auth/me', staff)).body).toMatchObject({ id: staff.accountId });
  });

  it('changes nothing, not even what needs no credential', async () => {
    const view = await begin();
    for (const [method, path] of [
      ['PATCH', '/api/auth/me'],
      ['POST', '/api/api-keys'],
      ['DELETE', '/api/auth/sessions'],
      ['POST', '/api/auth/logout'],
      ['POST', '/api/auth/password/forgot'],
      ['POST', '/api/auth/refresh'],
      ['PUT', '/api/account/mail-preferences'],
    ] as const)
      expect([path, await look(path, view, staff, method)]).toMatchObject([path, refusal('read_only_view')]);
    expect((await call('GET', '/api/auth/me', customer)).status).toBe(200);
    expect((await call('GET', '/api/auth/me', staff)).status).toBe(200);
  });

  it('is bound to the session that has begun it', async () => {
    const view = await begin();
    const other = { ...staff, token: await site.console.openSession(staff.accountId) };
    const colleague = await site.signedIn('admin');
    for (const who of [other, colleague, customer])
      expect(await look('/api/auth/me', view, who)).toMatchObject(refusal('view_ended'));
    expect((await look('/api/limits', view, { ...staff, token: 'rubbish' })).status).toBe(401);
    for (const id of ['', 'view_0', "' OR true --", '%00'])
      expect(await look('/api/auth/me', { id })).toMatchObject(refusal('view_ended'));
    // A key of staff has no role, and no session.
    const withKey = await site.console.request('GET', '/api/models/none/download', {
      token: staff.apiKey,
      headers: { [VIEW_HEADER]: view.id },
    });
    expect(withKey).toMatchObject(refusal('read_only_view'));
  });

  it.each([
    ['it is ended', () => call('DELETE', `${viewsOf()}/${open.id}`), 403],
    ['its time is over', () => expire(), 403],
    ['the session is signed out', () => call('POST', '/api/auth/logout'), 401],
    ['the session is ended by an admin', () => endByAdmin(), 401],
    ['the role is taken away', () => setRole(staff, 'user'), 403],
    ['the role becomes one that may not', () => setRole(staff, 'analyst'), 403],
    ['the person is suspended', () => suspend(staff), 403],
    ['the customer becomes staff', () => setRole(customer, 'operator'), 403],
  ])('sees nothing with the next request once %s', async (_end, end, status) => {
    open = await begin();
    expect((await look('/api/auth/me', open)).status).toBe(200);
    await end();
    const refused = await look('/api/auth/me', open);
    expect([refused.status, refused.text]).toEqual([status, expect.not.stringContaining(customer.accountId)]);
    await site.console.app.get(AccountViewsService).endDue();
  });

  it('looks at suspended customers, too', async () => {
    await suspend(customer);
    expect((await look('/api/auth/me', await begin())).status).toBe(200);
  });

  it('is seen by the customer, who does not learn who and why', async () => {
    const view = await begin();
    await look('/api/billing/usage', view);
    expect((await call('DELETE', `${viewsOf()}/${view.id}`)).status).toBe(204);
    expect((await call('DELETE', `${viewsOf()}/${view.id}`)).status).toBe(404);
    const ids = { view_id: view.id };
    expect((await eventsOf()).slice(0, 2)).toEqual([
      expect.objectContaining({
        ...{ type: 'account.view_ended', actor: 'admin', actor_id: null, address: null },
        details: { ...ids, cause: 'staff' },
      }),
      expect.objectContaining({
        ...{ type: 'account.view_began', actor: 'admin', actor_id: null, address: null },
        details: { ...ids, expires_at: view.expires_at },
      }),
    ]);
    const admin = await site.signedIn('admin');
    const audit = await call('GET', `/api/admin/events?account_id=${customer.accountId}`, admin);
    expect(bodyOf<Events>(audit).events[1]).toMatchObject({
      ...{ actor_id: staff.accountId, details: { ...ids, reason: REASON } },
    });
  });

  it('has an event also for an end that nobody has ordered, once', async () => {
    jest.restoreAllMocks();
    const service = site.console.app.get(AccountViewsService);
    const causes: object[] = [];
    for (const end of [
      () => expire(),
      () => call('POST', '/api/auth/logout'),
      () => setRole(staff, 'user'),
    ]) {
      staff = await site.signedIn('support');
      open = await begin();
      await service.endDue();
      expect((await eventsOf())[0]).toMatchObject({ type: 'account.view_began' });
      await end();
      await Promise.all([service.endDue(), service.endDue()]);
      const [last, before] = await eventsOf();
      expect([last, before]).toMatchObject([
        { type: 'account.view_ended', details: { view_id: open.id } },
        { type: 'account.view_began' },
      ]);
      causes.push(last!.details);
    }
    expect(causes).toMatchObject([{ cause: 'expired' }, { cause: 'session_ended' }, { cause: 'role_lost' }]);
    jest.spyOn(AccountViewsService.prototype, 'endDue').mockResolvedValue();
  });

  it('needs a role that may, a customer and a reason', async () => {
    for (const role of ['user', 'analyst', 'operator', 'finance'] as const)
      expect((await call('POST', viewsOf(), await site.signedIn(role), { reason: REASON })).status).toBe(403);
    const ends = { ...customer, accountId: 'acct_unknown' };
    expect((await call('POST', viewsOf(ends), staff, { reason: REASON })).status).toBe(404);
    const colleague = await site.signedIn('finance');
    expect((await call('POST', viewsOf(colleague), staff, { reason: REASON })).status).toBe(409);
    for (const json of [{}, { reason: '' }, { reason: '  ' }, { reason: 'x'.repeat(501) }, { reason: 7 }])
      expect((await call('POST', viewsOf(), staff, json)).status).toBe(400);
    expect((await call('POST', viewsOf(), staff, { reason: 'x'.repeat(500) })).status).toBe(201);
  });
});

describe('a session of a customer', () => {
  const sessionsOf = ({ accountId }: SignedIn) => `/api/admin/accounts/${accountId}/sessions`;
  const firstSession = async (whose: SignedIn, who = staff) =>
    bodyOf<{ sessions: { id: string }[] }>(await call('GET', sessionsOf(whose), who)).sessions[0]!.id;

  it('is ended by staff at once, alone, and with an event', async () => {
    const other = { ...customer, token: await site.console.openSession(customer.accountId) };
    await query("UPDATE accounts.sessions SET created_at = now() + interval '1 minute' WHERE id = $1", [
      sessionIdOf(other),
    ]);
    const id = await firstSession(customer);
    expect((await call('DELETE', `${sessionsOf(customer)}/${id}`)).status).toBe(204);
    expect((await call('GET', '/api/auth/me', other)).status).toBe(401);
    expect((await call('GET', '/api/auth/me', customer)).status).toBe(200);
    expect((await eventsOf())[0]).toMatchObject({
      ...{ type: 'session.ended', actor: 'admin', actor_id: null, details: { session_id: id } },
    });
    expect((await call('DELETE', `${sessionsOf(customer)}/${id}`)).status).toBe(404);
  });

  it('is one of this account, and one of staff only for an admin', async () => {
    const stranger = await site.signedIn();
    const id = sessionIdOf(stranger);
    expect((await call('DELETE', `${sessionsOf(customer)}/${id}`)).status).toBe(404);
    expect((await call('GET', '/api/auth/me', stranger)).status).toBe(200);
    const [colleague, admin] = [await site.signedIn('finance'), await site.signedIn('admin')];
    const path = `${sessionsOf(colleague)}/${sessionIdOf(colleague)}`;
    expect((await call('DELETE', path)).status).toBe(403);
    expect((await call('GET', '/api/auth/me', colleague)).status).toBe(200);
    expect((await call('DELETE', path, admin)).status).toBe(204);
    expect((await call('GET', '/api/auth/me', colleague)).status).toBe(401);
  });
});

let open: View;

const expire = () =>
  query('UPDATE accounts.account_views SET expires_at = clock_timestamp() WHERE id = $1', [open.id]);
const setRole = ({ accountId }: SignedIn, role: string) =>
  query('UPDATE accounts.accounts SET role = $2 WHERE id = $1', [accountId, role]);
const suspend = ({ accountId }: SignedIn) =>
  query('UPDATE accounts.accounts SET suspended_at = now() WHERE id = $1', [accountId]);
const sessionIdOf = ({ token }: SignedIn) =>
  (JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { sid: string }).sid;
const endByAdmin = async () => {
  const admin = await site.signedIn('admin');
  await call('DELETE', `/api/admin/accounts/${staff.accountId}/sessions/${sessionIdOf(staff)}`, admin);
};

/** Meters one call of an account, and returns its id. */
async function served(whose: SignedIn): Promise<string> {
  const requestId = newId('req');
  await settleRequest(site.database.pool, whose.accountId, {
    ...{ model: 'chat', rates: RATES, apiKeyId: whose.apiKeyId, requestId, priceListId },
    usage: { inputTokens: 1_000, outputTokens: 10 },
  });
  return requestId;
}
