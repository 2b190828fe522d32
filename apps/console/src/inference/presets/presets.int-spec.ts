import { type SignedIn, TestSite } from '../../testing/console.fixture';
import { type PresetListResponse, type PresetResponse } from './presets.dto';
import { MAX_PRESETS, MAX_SETTINGS_BYTES } from './presets.service';

const PATH = '/api/playground/presets';
const SETTINGS = { models: ['a', 'b'], temperature: '0.70', tools: '[{"type": "function"}]' };

describe('presets', () => {
  let site: TestSite;
  let owner: SignedIn;
  const call = (method: string, path: string, json?: unknown, { token } = owner) =>
    site.console.request(method, path, { token, ...(json !== undefined && { json }) });
  const created = async (name: string, settings: object = SETTINGS) => {
    const answer = await call('POST', PATH, { name, settings });
    expect(answer.status).toBe(201);
    return answer.body as PresetResponse;
  };
  const list = async (query = '', who = owner) =>
    (await call('GET', `${PATH}${query}`, undefined, who)).body as PresetListResponse;

  beforeAll(async () => (site = await TestSite.start()));
  beforeEach(async () => (owner = await site.signedIn()));
  afterAll(() => site.stop());

  it('come back as they were sent, newest first and page by page', async () => {
    const preset = await created(' Short answers ');
    expect(preset).toEqual({
      id: expect.stringMatching(/^preset_/),
      name: 'Short answers',
      settings: SETTINGS,
      created_at: expect.any(String),
      updated_at: preset.created_at,
    });
    expect((await call('GET', `${PATH}/${preset.id}`)).body).toEqual(preset);
    await created('second', {});
    const page = await list('?limit=1');
    expect(page.presets.map(({ name }) => name)).toEqual(['second']);
    expect((await list(`?limit=1&cursor=${page.next_cursor}`)).presets).toEqual([preset]);
  });

  it('have one name each', async () => {
    const { id } = await created('taken');
    const second = await created('free');
    const isTaken = { status: 409, body: { error: 'name: the account has a preset of this name' } };
    expect(await call('POST', PATH, { name: 'taken', settings: {} })).toMatchObject(isTaken);
    expect(await call('PUT', `${PATH}/${second.id}`, { name: 'taken', settings: {} })).toMatchObject(isTaken);
    expect(await call('PUT', `${PATH}/${id}`, { name: 'taken', settings: { n: 1 } })).toMatchObject({
      status: 200,
      body: { id, name: 'taken', settings: { n: 1 } },
    });
    const other = await site.signedIn();
    expect((await call('POST', PATH, { name: 'taken', settings: {} }, other)).status).toBe(201);
  });

  it('are deleted', async () => {
    const { id } = await created('short-lived');
    expect((await call('DELETE', `${PATH}/${id}`)).status).toBe(204);
    expect((await call('DELETE', `${PATH}/${id}`)).status).toBe(404);
    expect((await list()).presets).toEqual([]);
  });

  it('do not exist for another account, not even for an admin', async () => {
    const { id } = await created('mine');
    const other = await site.signedIn('admin');
    const attempts = [
      call('GET', `${PATH}/${id}`, undefined, other),
      call('PUT', `${PATH}/${id}`, { name: 'theirs', settings: {} }, other),
      call('DELETE', `${PATH}/${id}`, undefined, other),
    ];
    for (const answer of await Promise.all(attempts))
      expect([answer.status, answer.body]).toEqual([404, { error: 'no such preset' }]);
    expect((await list('', other)).presets).toEqual([]);
    expect((await list()).presets.map(({ name }) => name)).toEqual(['mine']);
  });

  it.each([
    [{ settings: {} }, 'name'],
    [{ name: '', settings: {} }, 'name'],
    [{ name: 'x'.repeat(101), settings: {} }, 'name'],
    [{ name: 'a\nb', settings: {} }, 'name'],
    [{ name: 'a' }, 'settings'],
    [{ name: 'a', settings: [] }, 'settings'],
    [{ name: 'a', settings: { system: 'x'.repeat(MAX_SETTINGS_BYTES) } }, 'settings'],
  ])('are refused for a bad name or settings (%#)', async (body, field) => {
    const answer = await call('POST', PATH, body);
    expect([answer.status, answer.body]).toEqual([400, { error: expect.stringContaining(field) }]);
  });

  it('are limited in number, also if they are made at the same time', async () => {
    await site.database.pool.query(
      `INSERT INTO playground.presets (id, account_id, name, settings)
       SELECT $1 || n, $1, 'bulk ' || n, '{}' FROM generate_series(1, ${MAX_PRESETS - 1}) n`,
      [owner.accountId],
    );
    const answers = await Promise.all(
      ['a', 'b', 'c'].map((name) => call('POST', PATH, { name, settings: {} })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });
});
