import { type Answer, settleRequest, type SignedIn, TestSite } from '../../testing/console.fixture';
import {
  type AnnouncementResponse,
  type AnnouncementsResponse,
  type CurrentAnnouncementsResponse,
} from './announcements.dto';

const ADMIN = '/api/admin/announcements';
const CONTENT = {
  severity: 'info',
  title_en: 'News',
  body_en: 'See https://example.com.',
  title_zh: '新闻',
  body_zh: '参见 https://example.com。',
};
const FOR_ALL = { ...CONTENT, audience: 'all' };
const HOUR = 3_600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR).toISOString();

describe('announcements', () => {
  let site: TestSite;
  let operator: SignedIn;
  let customer: SignedIn;
  let other: SignedIn;
  const by = (person: SignedIn | null, method: string, path: string, json?: unknown) =>
    site.console.request(method, path, {
      ...(person && { token: person.token }),
      ...(json !== undefined && { json }),
    });
  const create = (json: unknown) => by(operator, 'POST', ADMIN, json);
  const created = async (json: unknown) => {
    const answer = await create(json);
    expect(answer.status).toBe(201);
    return answer.body as AnnouncementResponse;
  };
  const idsIn = (answer: Answer) =>
    (answer.body as CurrentAnnouncementsResponse).announcements.map(({ id }) => id);
  const seenBy = async (person: SignedIn | null) =>
    idsIn(await by(person, 'GET', person ? '/api/account/announcements' : '/api/announcements'));
  const dismiss = async (person: SignedIn, id: string) =>
    (await by(person, 'POST', `/api/account/announcements/${id}/dismiss`)).status;
  const listed = async (id: string) => {
    const { body } = await by(operator, 'GET', `${ADMIN}?limit=100`);
    return (body as AnnouncementsResponse).announcements.find((one) => one.id === id)!;
  };

  beforeAll(async () => {
    site = await TestSite.start();
    operator = await site.signedIn('operator');
    [customer, other] = [await site.signedIn('user', 10n ** 15n), await site.signedIn()];
  });
  beforeEach(() => site.database.pool.query('TRUNCATE accounts.announcements CASCADE'));
  afterAll(() => site.stop());

  it('for all are seen by everybody, also before sign-in, in both languages', async () => {
    const { id } = await created(FOR_ALL);
    for (const person of [null, customer, other]) expect(await seenBy(person)).toEqual([id]);
    expect((await by(null, 'GET', '/api/announcements')).body).toMatchObject({
      announcements: [{ ...CONTENT, ends_at: null }],
    });
    expect((await by(null, 'GET', '/api/announcements')).text).not.toContain(operator.accountId);
  });

  it('for chosen accounts are seen by these alone', async () => {
    const ids = [customer.accountId, customer.accountId];
    const { id, addressed_accounts: addressed } = await created({
      ...CONTENT,
      audience: 'accounts',
      account_ids: ids,
    });
    expect(addressed).toBe(1);
    expect([await seenBy(customer), await seenBy(other), await seenBy(null)]).toEqual([[id], [], []]);
    expect(await dismiss(other, id)).toBe(404);
  });

  it('for the users of a model are seen by those who used it in the last 30 days', async () => {
    await settleRequest(site.database.pool, customer.accountId, {
      apiKeyId: customer.apiKeyId,
      model: 'used-model',
      rates: [{ unit: 'per_million_tokens', ratePicos: 1_000_000n }],
      usage: { inputTokens: 1, outputTokens: 1 },
    });
    const { id, ...rest } = await created({ ...CONTENT, audience: 'model', model: 'used-model' });
    expect(rest).toMatchObject({ model: 'used-model', addressed_accounts: 1 });
    expect([await seenBy(customer), await seenBy(other), await seenBy(null)]).toEqual([[id], [], []]);
    const refused = await create({ ...CONTENT, audience: 'model', model: 'unused-model' });
    expect([refused.status, refused.body]).toEqual([400, { error: expect.stringContaining('model') }]);
    expect((await by(operator, 'GET', ADMIN)).body).toMatchObject({ announcements: [{ id }] });
  });

  it('are dismissed by each account for itself, unless critical', async () => {
    const [info, critical] = [await created(FOR_ALL), await created({ ...FOR_ALL, severity: 'critical' })];
    for (let time = 0; time < 2; time++) expect(await dismiss(customer, info.id)).toBe(204);
    expect(await dismiss(customer, critical.id)).toBe(409);
    expect(await dismiss(customer, 'ann_unknown')).toBe(404);
    expect(await seenBy(customer)).toEqual([critical.id]);
    expect(await seenBy(other)).toEqual([critical.id, info.id]);
    expect(await listed(info.id)).toMatchObject({ dismissed_by: 1, addressed_accounts: null });
    await by(operator, 'PUT', `${ADMIN}/${info.id}`, { ...CONTENT, severity: 'critical' });
    expect(await seenBy(customer)).toEqual([critical.id, info.id]);
  });

  it('are shown from their start until their end, and can be ended earlier', async () => {
    const later = await created({ ...FOR_ALL, starts_at: inHours(1), ends_at: inHours(2) });
    const former = await created({ ...FOR_ALL, starts_at: inHours(-2), ends_at: inHours(-1) });
    const now = await created({ ...FOR_ALL, ends_at: inHours(1) });
    expect(await seenBy(customer)).toEqual([now.id]);
    expect(await dismiss(customer, later.id)).toBe(404);
    for (const { id } of [now, later])
      expect((await by(operator, 'POST', `${ADMIN}/${id}/end`)).status).toBe(200);
    for (const { id } of [now, later, former])
      expect((await by(operator, 'POST', `${ADMIN}/${id}/end`)).status).toBe(409);
    expect(await seenBy(customer)).toEqual([]);
    expect((await by(operator, 'POST', `${ADMIN}/ann_unknown/end`)).status).toBe(404);
  });

  it('are replaced with what changes alone, and each change is recorded', async () => {
    const { id, starts_at: startsAt } = await created({ ...FOR_ALL, ends_at: inHours(1) });
    const changed = await by(operator, 'PUT', `${ADMIN}/${id}`, { ...CONTENT, title_en: 'Other' });
    expect([changed.status, changed.body]).toEqual([
      200,
      expect.objectContaining({ id, title_en: 'Other', starts_at: startsAt, ends_at: null }),
    ]);
    expect((await by(operator, 'PUT', `${ADMIN}/ann_unknown`, CONTENT)).status).toBe(404);
    await by(operator, 'POST', `${ADMIN}/${id}/end`);
    const { rows } = await site.database.pool.query(
      `SELECT actor_id, details FROM accounts.security_events
       WHERE type = 'admin.announcement_changed' AND details->>'announcement_id' = $1 ORDER BY created_at`,
      [id],
    );
    expect(rows).toEqual(
      ['created', 'changed', 'ended'].map((action) => ({
        actor_id: operator.accountId,
        details: { announcement_id: id, action },
      })),
    );
  });

  it.each<[object, string]>([
    [{ severity: 'loud' }, 'severity'],
    [{ title_en: undefined }, 'title_en'],
    [{ title_zh: 'two\nlines' }, 'title_zh'],
    [{ body_en: ' \n' }, 'body_en'],
    [{ body_zh: 'x'.repeat(2_001) }, 'body_zh'],
    [{ body_zh: 'a\0' }, 'body_zh'],
    [{ audience: 'some' }, 'audience'],
    [{ audience: 'accounts' }, 'account_ids'],
    [{ audience: 'accounts', account_ids: [] }, 'account_ids'],
    [{ audience: 'accounts', account_ids: ['acct_unknown'] }, 'account_ids'],
    [{ audience: 'accounts', account_ids: [1] }, 'account_ids'],
    [{ account_ids: ['acct_unknown'] }, 'account_ids'],
    [{ audience: 'model' }, 'model'],
    [{ model: 'm' }, 'model'],
    [{ starts_at: inHours(2), ends_at: inHours(1) }, 'ends_at'],
    [{ ends_at: inHours(-1) }, 'ends_at'],
    [{ ends_at: 'soon' }, 'ends_at'],
    [{ language: 'en' }, 'language'],
  ])('are refused with %j', async (fault, field) => {
    const answer = await create({ ...FOR_ALL, ...fault });
    expect([answer.status, answer.body]).toEqual([400, { error: expect.stringContaining(field) }]);
    expect((await by(operator, 'GET', ADMIN)).body).toEqual({ announcements: [], next_cursor: null });
  });

  it('are made by admins and operators, read by support, and not open to others', async () => {
    const statuses = async (person: SignedIn | null) => [
      (await by(person, 'GET', ADMIN)).status,
      (await by(person, 'POST', ADMIN, FOR_ALL)).status,
    ];
    expect(await statuses(await site.signedIn('admin'))).toEqual([200, 201]);
    expect(await statuses(await site.signedIn('support'))).toEqual([200, 403]);
    for (const role of ['finance', 'analyst', 'user'] as const)
      expect(await statuses(await site.signedIn(role))).toEqual([403, 403]);
    expect(await statuses(null)).toEqual([401, 401]);
  });

  it('are listed as CSV', async () => {
    const { id } = await created(FOR_ALL);
    const answer = await site.console.request('GET', ADMIN, {
      token: operator.token,
      headers: { Accept: 'text/csv' },
    });
    expect(answer.text.split('\r\n')).toEqual([
      expect.stringContaining('id,severity'),
      expect.stringContaining(id),
      '',
    ]);
  });
});
