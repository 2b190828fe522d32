import { type SignedIn, TestSite } from '../../testing/console.fixture';
import { type SavedConversationListResponse, type SavedConversationResponse } from './conversations.dto';
import { MAX_CONTENT_BYTES, MAX_CONVERSATIONS, MAX_STORED_BYTES } from './conversations.service';

const PATH = '/api/playground/conversations';

describe('saved conversations', () => {
  let site: TestSite;
  let owner: SignedIn;
  const call = (method: string, path: string, json?: unknown, { token } = owner) =>
    site.console.request(method, path, { token, ...(json !== undefined && { json }) });
  const created = async (title = 'A title', content: object = { turns: [] }) => {
    const answer = await call('POST', PATH, { title, content });
    expect(answer.status).toBe(201);
    return answer.body as SavedConversationResponse;
  };
  const list = async (query = '', who = owner) =>
    (await call('GET', `${PATH}${query}`, undefined, who)).body as SavedConversationListResponse;
  const titles = async (query = '') => (await list(query)).conversations.map(({ title }) => title);

  beforeAll(async () => (site = await TestSite.start()));
  beforeEach(async () => (owner = await site.signedIn()));
  afterAll(() => site.stop());

  it('come back as they were sent', async () => {
    const content = {
      turns: [{ prompt: 'Größe? 你好 😀', answers: [{ text: '"\\n"' }] }],
      seed: '007',
      n: 0.5,
    };
    const saved = await created(' What? ', content);
    expect(saved).toEqual({
      id: expect.stringMatching(/^chat_/),
      title: 'What?',
      revision: 1,
      created_at: expect.any(String),
      updated_at: saved.created_at,
    });
    expect(await call('GET', `${PATH}/${saved.id}`)).toMatchObject({
      status: 200,
      body: { ...saved, content },
    });
    expect((await list()).conversations).toEqual([saved]);
  });

  it('are replaced only by who knows the newest revision', async () => {
    const { id } = await created();
    const replace = (content: object, revision: number) =>
      call('PUT', `${PATH}/${id}`, { content, revision });
    expect(await replace({ n: 1 }, 1)).toMatchObject({ status: 200, body: { id, revision: 2 } });
    expect(await replace({ n: 2 }, 1)).toMatchObject({
      status: 409,
      body: { code: 'conversation_changed', error: expect.stringContaining('revision is 2') },
    });
    const racing = await Promise.all([replace({ n: 3 }, 2), replace({ n: 4 }, 2), replace({ n: 5 }, 2)]);
    expect(racing.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const winner = racing.findIndex(({ status }) => status === 200);
    expect((await call('GET', `${PATH}/${id}`)).body).toMatchObject({
      revision: 3,
      content: { n: 3 + winner },
    });
  });

  it('are one if the request is repeated under its key, also at the same time', async () => {
    const body = { title: 'A title', content: { n: 1 }, key: 'key-of-the-page' };
    const answers = await Promise.all([1, 2, 3].map(() => call('POST', PATH, body)));
    const { id } = answers[0]!.body as SavedConversationResponse;
    for (const answer of answers) expect(answer).toMatchObject({ status: 201, body: { id, revision: 1 } });
    await call('PUT', `${PATH}/${id}`, { content: { n: 2 }, revision: 1 });
    expect(await call('POST', PATH, body)).toMatchObject({ status: 201, body: { id, revision: 1 } });
    expect((await call('GET', `${PATH}/${id}`)).body).toMatchObject({ revision: 2, content: { n: 2 } });
    expect((await list()).conversations).toHaveLength(1);
    const other = await site.signedIn();
    const ofOther = (await call('POST', PATH, body, other)).body as SavedConversationResponse;
    expect(ofOther.id).not.toBe(id);
    expect((await call('POST', PATH, { ...body, key: 'another-key' })).body).not.toMatchObject({ id });
  });

  it('are listed by their last change, page by page', async () => {
    const first = await created('first');
    await created('second');
    await created('third');
    await call('PUT', `${PATH}/${first.id}`, { content: {}, revision: 1 });
    expect(await titles()).toEqual(['first', 'third', 'second']);
    const page = await list('?limit=2');
    expect(page.conversations.map(({ title }) => title)).toEqual(['first', 'third']);
    expect(await titles(`?limit=2&cursor=${page.next_cursor}`)).toEqual(['second']);
    expect((await call('GET', `${PATH}?limit=2&search=i&cursor=${page.next_cursor}`)).status).toBe(400);
  });

  it('are found by a part of the title, whatever its case and characters', async () => {
    for (const title of ['About LEDGERS', '50% of_it', '账本是什么']) await created(title);
    expect(await titles('?search=ledger')).toEqual(['About LEDGERS']);
    expect(await titles(`?search=${encodeURIComponent('%')}`)).toEqual(['50% of_it']);
    expect(await titles('?search=_')).toEqual(['50% of_it']);
    expect(await titles(`?search=${encodeURIComponent('账本')}`)).toEqual(['账本是什么']);
    expect(await titles('?search=')).toHaveLength(3);
  });

  it('are renamed, which does not make a content old that is still written', async () => {
    const { id } = await created('before');
    expect(await call('PATCH', `${PATH}/${id}`, { title: 'after' })).toMatchObject({
      status: 200,
      body: { title: 'after', revision: 1 },
    });
    expect((await call('PUT', `${PATH}/${id}`, { content: {}, revision: 1 })).body).toMatchObject({
      title: 'after',
    });
  });

  it('are deleted, one or all', async () => {
    const { id } = await created('one');
    for (const title of ['two', 'three']) await created(title);
    expect((await call('DELETE', `${PATH}/${id}`)).status).toBe(204);
    expect((await call('DELETE', `${PATH}/${id}`)).status).toBe(404);
    expect(await titles()).toEqual(['three', 'two']);
    const other = await site.signedIn();
    expect((await call('DELETE', PATH, undefined, other)).status).toBe(204);
    expect(await titles()).toHaveLength(2);
    expect((await call('DELETE', PATH)).status).toBe(204);
    expect(await titles()).toEqual([]);
  });

  it('do not exist for another account, not even for an admin', async () => {
    const { id } = await created('mine', { secret: 1 });
    const other = await site.signedIn('admin');
    const attempts = [
      call('GET', `${PATH}/${id}`, undefined, other),
      call('PUT', `${PATH}/${id}`, { content: {}, revision: 1 }, other),
      call('PATCH', `${PATH}/${id}`, { title: 'theirs' }, other),
      call('DELETE', `${PATH}/${id}`, undefined, other),
    ];
    for (const answer of await Promise.all(attempts))
      expect([answer.status, answer.body]).toEqual([404, { error: 'no such conversation' }]);
    expect((await list('', other)).conversations).toEqual([]);
    expect((await call('GET', `${PATH}/${id}`)).body).toMatchObject({
      title: 'mine',
      content: { secret: 1 },
    });
  });

  it.each([
    [{ content: {} }, 'title'],
    [{ title: ' ', content: {} }, 'title'],
    [{ title: 'x'.repeat(201), content: {} }, 'title'],
    [{ title: 'x' }, 'content'],
    [{ title: 'x', content: [] }, 'content'],
    [{ title: 'x', content: 'text' }, 'content'],
    [{ title: 'x', content: { text: 'a\0b' } }, 'content.text'],
    [{ title: 'x', content: {}, revision: 1 }, 'revision'],
    [{ title: 'x', content: {}, key: '' }, 'key'],
    [{ title: 'x', content: {}, key: 'a b' }, 'key'],
    [{ title: 'x', content: {}, key: 'x'.repeat(65) }, 'key'],
  ])('are refused for %j', async (body, field) => {
    const answer = await call('POST', PATH, body);
    expect([answer.status, answer.body]).toEqual([400, { error: expect.stringContaining(field) }]);
  });

  it.each([{ content: {} }, { content: {}, revision: 0 }, { revision: 1 }])(
    'are not replaced by %j',
    async (body) => {
      const { id } = await created();
      expect((await call('PUT', `${PATH}/${id}`, body)).status).toBe(400);
    },
  );

  it('have at most 4 MiB of JSON', async () => {
    const around = JSON.stringify({ text: '' }).length;
    const largest = { text: 'x'.repeat(MAX_CONTENT_BYTES - around) };
    const { id } = await created('large', largest);
    expect((await call('GET', `${PATH}/${id}`)).body).toMatchObject({ content: largest });
    const content = { text: `${largest.text}x` };
    expect(await call('POST', PATH, { title: 'larger', content })).toMatchObject({
      status: 400,
      body: { error: `content: must have at most ${MAX_CONTENT_BYTES} bytes of JSON` },
    });
    expect((await call('POST', PATH, { title: 'x', content: { text: 'x'.repeat(4_300_000) } })).status).toBe(
      413,
    );
  });

  const fill = (count: number, bytes: number) =>
    site.database.pool.query(
      `INSERT INTO playground.conversations (id, account_id, title, content, content_bytes)
       SELECT $1 || n, $1, 'bulk', '{}', $2 FROM generate_series(1, $3) n`,
      [owner.accountId, bytes, count],
    );

  it('are limited in number, also if they are saved at the same time', async () => {
    await fill(MAX_CONVERSATIONS - 2, 2);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => call('POST', PATH, { title: 'x', content: {} })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)!.body).toMatchObject({ code: 'conversations_full' });
    const { id } = (await list('?limit=1')).conversations[0]!;
    await call('DELETE', `${PATH}/${id}`);
    await created('there is room again');
  });

  it('are limited in their bytes together; a shorter content is always stored', async () => {
    const { id } = await created('long', { text: 'x'.repeat(1_000) });
    await fill(1, MAX_STORED_BYTES - 1_100);
    const replace = (length: number, revision: number) =>
      call('PUT', `${PATH}/${id}`, { content: { text: 'x'.repeat(length) }, revision });
    expect(await replace(2_000, 1)).toMatchObject({ status: 409, body: { code: 'conversations_full' } });
    expect((await replace(900, 1)).status).toBe(200);
    expect((await call('POST', PATH, { title: 'x', content: { text: 'x'.repeat(1_000) } })).status).toBe(409);
  });

  it('are saved by the pages unless the account says otherwise', async () => {
    const settings = async (who = owner) =>
      (await call('GET', '/api/playground/settings', undefined, who)).body;
    expect(await settings()).toEqual({ save_conversations: true });
    for (const saves of [false, true, false]) {
      const answer = await call('PUT', '/api/playground/settings', { save_conversations: saves });
      expect([answer.status, answer.body]).toEqual([200, { save_conversations: saves }]);
      expect(await settings()).toEqual({ save_conversations: saves });
    }
    expect(await settings(await site.signedIn())).toEqual({ save_conversations: true });
    expect((await call('PUT', '/api/playground/settings', { save_conversations: 'no' })).status).toBe(400);
  });
});
