import { waitFor } from '@inference/testing';
import { chat, ChatSite, MODEL, POLICY, QUESTION } from '../chat-client.fixture';
import { type Person } from '../../memo.fixture';

let chats: ChatSite;
let owner: Person;
let workspace: string;

beforeAll(async () => {
  chats = await ChatSite.start();
  ({ owner, workspace } = chats);
});
afterAll(() => chats?.stop());

describe('a conversation', () => {
  it('stores questions and answers with their citations', async () => {
    chats.says('Five days [1].');
    const { conversationId: id } = await chats.ask();
    const kept = await chats.conversation(id);
    expect(kept).toMatchObject({ id, title: QUESTION, has_more: false });
    expect(kept.messages).toMatchObject([
      { n: 1, role: 'user', content: QUESTION, status: 'completed', model: null, citations: [] },
      { n: 2, role: 'assistant', content: 'Five days [1].', status: 'completed', model: MODEL },
    ]);
    const [citation] = kept.messages[1]!.citations;
    expect(citation).toMatchObject({ number: 1, document_id: chats.documentId, version: 1, chunk_index: 0 });
    expect(POLICY.text.slice(citation!.start, citation!.end)).toBe(citation!.snippet);
  });

  it('continues, and the model receives the earlier exchanges', async () => {
    chats.says('Five days [1].');
    const { conversationId: id } = await chats.ask();
    chats.says('Yes [1].');
    expect((await chats.ask({ query: 'Are refunds free?', conversation_id: id })).conversationId).toBe(id);
    expect(chats.model.requests.at(-1)!.messages.slice(1, 3)).toEqual([
      { role: 'user', content: QUESTION },
      { role: 'assistant', content: 'Five days.' },
    ]);
    expect((await chats.conversation(id)).messages.map(({ n }) => n)).toEqual([1, 2, 3, 4]);
    const path = `/${workspace}/conversations/${id}?limit=1&after=2`;
    expect(await owner.json('GET', path)).toMatchObject({ messages: [{ n: 3 }], has_more: true });
    for (const query of ['?after=x', '?limit=0', '?after=1&after=2'])
      expect((await owner.refusal('GET', `/${workspace}/conversations/${id}${query}`))[0]).toBe(400);
  });

  it('provides the last four completed exchanges to the model, as far as they fit', async () => {
    let id: string | undefined;
    const say = async (query: string, answer: string) => {
      chats.says(answer);
      id = (await chats.ask({ query, ...(id && { conversation_id: id }) })).conversationId;
      return chats.model.requests
        .at(-1)!
        .messages.slice(1, -1)
        .map(({ content }) => content);
    };
    const question = (n: number) => `Within ${n} days are refunds issued?`;
    for (let n = 1; n <= 5; n++) await say(question(n), `Answer ${n}.`);
    chats.model.says((answer) => {
      answer.delta({ content: 'Broken' });
      setTimeout(() => answer.breakOff(), 50);
    });
    expect((await chats.ask({ query: question(6), conversation_id: id })).error).toBeDefined();
    const exchanges = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, at) => [question(from + at), `Answer ${from + at}.`]).flat();
    expect(await say(question(7), 'x'.repeat(7_000))).toEqual(exchanges(2, 5));
    expect(await say(question(8), 'y'.repeat(7_000))).toEqual([
      ...exchanges(3, 5),
      question(7),
      'x'.repeat(7_000),
    ]);
    expect(await say(question(9), 'z'.repeat(8_001))).toEqual([question(8), 'y'.repeat(7_000)]);
    expect(await say(question(10), 'Yes.')).toEqual([]);
  });

  it('searches with the previous question if the next one finds nothing by itself', async () => {
    chats.says('Five days [1].');
    const { conversationId: id } = await chats.ask();
    const before = chats.model.requests.length;
    for (const query of ['Why?', 'Really, honestly?']) {
      expect((await chats.ask({ query, conversation_id: id })).text).toBe('Five days [1].');
      expect(chats.model.requests.at(-1)!.messages.at(-1)!.content).toMatch(
        new RegExp(`Refunds are issued .*Question: ${query.replace('?', '\\?')}$`, 's'),
      );
    }
    expect(chats.model.requests).toHaveLength(before + 2);
    expect((await chats.ask({ query: 'Really, honestly?' })).citations).toBe('Citations: none');
    expect(chats.model.requests).toHaveLength(before + 2);
  });

  it('is visible only to its member, and one of a key only to this key', async () => {
    chats.says('Five days [1].');
    const other = await chats.site.person();
    await owner.addMember(workspace, other, 'admin');
    const makeKey = async () => {
      const made = await owner.json<{ key: string }>('POST', `/${workspace}/keys`, { name: 'k' }, 201);
      return owner.withKey(made.key);
    };
    const [one, two] = [await makeKey(), await makeKey()];
    const [own, byKey] = [(await chats.ask()).conversationId, (await chats.ask({}, one)).conversationId];
    const missing = [404, 'no such conversation'];
    for (const [person, sees] of [
      [owner, [own, byKey]],
      [one, [byKey]],
      [two, []],
      [other, []],
    ] as const) {
      const list = await person.json<{ conversations: { id: string }[] }>(
        ...(['GET', `/${workspace}/conversations?limit=2`] as const),
      );
      const seen = list.conversations.map(({ id }) => id);
      if (person !== owner) expect(seen).toEqual(sees);
      for (const id of [own, byKey]) {
        const isHis = (sees as readonly string[]).includes(id);
        const path = `/${workspace}/conversations/${id}`;
        expect((await person.call('GET', path)).status).toBe(isHis ? 200 : 404);
        if (isHis) continue;
        expect(await chats.refused({ query: QUESTION, conversation_id: id }, person)).toEqual(missing);
        expect(await person.refusal('DELETE', path)).toEqual(missing);
      }
    }
  });

  it('is deleted permanently', async () => {
    chats.says('Five days [1].');
    const { conversationId: id } = await chats.ask();
    await owner.json('DELETE', `/${workspace}/conversations/${id}`, undefined, 204);
    expect(await owner.refusal('GET', `/${workspace}/conversations/${id}`)).toEqual([
      404,
      'no such conversation',
    ]);
    const { rows } = await chats.site.pool.query('SELECT FROM memo.messages WHERE conversation_id = $1', [
      id,
    ]);
    expect(rows).toEqual([]);
  });

  it('loses the citations of a document when the document is deleted', async () => {
    const { id: other } = await owner.addDocument(workspace, {
      title: 'Pets',
      text: 'Dogs may stay in the office.',
    });
    chats.says('Dogs may [1].');
    const { conversationId: id } = await chats.ask({ query: 'May dogs stay in the office?', k: 1 });
    expect((await chats.conversation(id)).messages[1]!.citations).toMatchObject([{ document_id: other }]);
    await owner.json('DELETE', `/${workspace}/documents/${other}`, undefined, 204);
    expect((await chats.conversation(id)).messages[1]).toMatchObject({
      content: 'Dogs may [1].',
      citations: [],
    });
  });
});

describe('a document that disappears while an answer is written', () => {
  it.each([
    ['deleted', (id: string) => owner.json('DELETE', `/${workspace}/documents/${id}`, undefined, 204)],
    [
      'replaced',
      async (id: string) => {
        await owner.json('PUT', `/${workspace}/documents/${id}`, {
          title: 'Cars',
          text: 'Cars may not stay.',
        });
        await owner.finished(workspace, id);
      },
    ],
  ])('is not cited after it is %s', async (_what, change) => {
    const text = 'Bicycles belong into the cellar.';
    const { id } = await owner.addDocument(workspace, { title: 'Cars', text, external_id: 'cars' });
    let goOn: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    chats.model.says(async (answer) => {
      answer.delta({ content: 'Into the cellar [1].' });
      await held;
      answer.finish('stop');
    });
    const before = chats.model.requests.length;
    const answer = chat(owner, workspace, { query: 'Where do bicycles belong?', k: 1 });
    await waitFor(() => chats.model.requests.length > before);
    await change(id);
    goOn();
    expect(await answer).toMatchObject({ text: 'Into the cellar [1].', citations: 'Citations: none' });
    await owner.call('DELETE', `/${workspace}/documents/${id}`);
  });
});
