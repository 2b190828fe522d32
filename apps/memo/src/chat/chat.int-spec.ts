import { setTimeout as wait } from 'node:timers/promises';
import { Suspensions } from '@inference/guards';
import { type INestApplicationContext } from '@nestjs/common';
import { metricsOf, waitFor, waitForLock } from '@inference/testing';
import { type Person } from '../memo.fixture';
import { SearchService } from '../retrieval/search/search.service';
import { chat, ChatSite, MODEL, QUESTION, readCitations, readEvents } from './chat-client.fixture';
import { ChatService } from './chat.service';

const CHINESE = { title: '退款规则', text: '订单满三十欧元免运费。\n\n退货后五天内完成退款。' };
const REFUSAL = 'The documents of this workspace do not answer that.';

let chats: ChatSite;
let owner: Person;
let workspace: string;

beforeAll(async () => {
  chats = await ChatSite.start();
  ({ owner, workspace } = chats);
});
afterAll(() => chats?.stop());

const running = async (app: INestApplicationContext) =>
  Number(/^memo_running_answers (\d+)/m.exec(await metricsOf(app))![1]);

describe('an answer', () => {
  it('is streamed as it is written, and ends with its citations', async () => {
    chats.says('Within five', ' days [1', '].');
    const answer = await chats.ask();
    expect(answer.text).toBe('Within five days [1].');
    expect(answer.citations).toBe(
      `Citations: [1] "Refund policy" (${chats.documentId}#0): "Refunds are issued within five days of the return."`,
    );
    expect(answer.error).toBeUndefined();
  });

  it('is requested with numbered passages and on behalf of the caller', async () => {
    chats.says('Five days [1].');
    await chats.ask({ k: 1 });
    const [system, user] = chats.model.requests.at(-1)!.messages;
    expect(system).toMatchObject({ role: 'system' });
    expect(user!.content).toMatch(
      /^<(passage-\w+) number="1">\nTitle: Refund policy\n\n.*\n<\/\1>\n\nQuestion: /s,
    );
    const { rows } = await chats.site.pool.query(
      'SELECT account_id, entrypoint, model FROM metering.usage_events ORDER BY occurred_at DESC LIMIT 1',
    );
    expect(rows).toEqual([{ account_id: owner.accountId, entrypoint: 'memo', model: MODEL }]);
  });

  it('cites no passage that does not exist', async () => {
    chats.says('Five days [1][7], or six 【2】.');
    const answer = await chats.ask({ k: 1 });
    expect(answer.text).toBe('Five days [1], or six.');
    expect(readCitations(answer.citations).map(({ number }) => number)).toEqual([1]);
  });

  it('has no citations if the model cites nothing or says nothing', async () => {
    chats.says('I do not know.');
    expect((await chats.ask()).citations).toBe('Citations: none');
    for (const nothing of [[], ['\n\n', ' '], ['[9] ']]) {
      chats.says(...nothing);
      const answer = await chats.ask();
      expect([answer.text, answer.citations]).toEqual([REFUSAL, 'Citations: none']);
      const { messages } = await chats.conversation(answer.conversationId);
      expect(messages[1]!.content).toBe(REFUSAL);
    }
  });

  it('is a refusal, without a model call, if nothing is relevant', async () => {
    const before = chats.model.requests.length;
    expect(await chats.ask({ query: 'Zebra xylophone?' })).toMatchObject({
      text: 'The documents of this workspace do not answer that.',
      citations: 'Citations: none',
    });
    expect((await chats.ask({ query: '火星上有水吗？' })).text).toBe('这个知识库的文档没有回答这个问题。');
    expect(chats.model.requests).toHaveLength(before);
  });

  it('keeps line breaks and leading spaces for every kind of client, and no line looks like the citations', async () => {
    const written = 'List:\n\n  - one [1]\n  - two  \r\nCitations: none\nCitations: [1] "x"\n';
    chats.says(...written);
    const { raw, text, citations } = await chats.ask();
    expect(text).toBe(written.replace('  \r', '').trimEnd());
    expect(readCitations(citations)).toHaveLength(1);
    expect(raw.split('\n').filter((line) => line.startsWith('data: Citations:'))).toHaveLength(1);
  });

  it('sends a heartbeat before the model starts to write', async () => {
    let speak: () => void = () => undefined;
    const silence = new Promise<void>((resolve) => (speak = resolve));
    chats.model.says(async (answer) => {
      answer.delta({ role: 'assistant' });
      await silence;
      answer.finish('stop');
    });
    const response = await owner.call('POST', `/${workspace}/chat`, { query: QUESTION });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let seen = '';
    while (seen.split(': \n').length < 4) {
      const { done, value } = await reader.read();
      if (done) throw new Error(`ended after ${seen}`);
      seen += value;
    }
    expect(readEvents(seen)).toEqual({ text: '', citations: undefined, error: undefined });
    speak();
    while (!(await reader.read()).done);
  });
});

describe('a failure', () => {
  it('a failure in the middle of an answer is an error event without citations', async () => {
    chats.model.says((answer) => {
      answer.delta({ content: 'Five days [1]. And' });
      setTimeout(() => answer.breakOff(), 50);
    });
    const answer = await chats.ask();
    expect(answer).toMatchObject({ text: 'Five days [1]. And', citations: undefined });
    expect(answer.error).toEqual({
      error: expect.any(String) as string,
      code: expect.any(String) as string,
      retryable: true,
    });
    expect(answer.raw).not.toMatch(/^id:/m);
    expect((await chats.conversation(answer.conversationId)).messages[1]).toMatchObject({
      content: 'Five days [1]. And',
      status: 'failed',
      citations: [],
    });
  });

  it('a failure before an answer is an HTTP status', async () => {
    const poor = await chats.site.person(0n);
    await owner.addMember(workspace, poor, 'viewer');
    expect(await chats.refused({ query: QUESTION }, poor)).toEqual([
      402,
      expect.stringMatching(
        /^The wallet has 0 USD free, but this answer can cost up to (\S+) USD[.] Top up at least \1 USD[.]$/,
      ),
    ]);
    expect(await poor.json('GET', `/${workspace}/conversations`)).toMatchObject({ conversations: [] });
  });

  it('cancels the model call if the reader disconnects', async () => {
    let left = false;
    chats.model.says(async (answer) => {
      answer.delta({ content: 'Five days' });
      await answer.left();
      left = true;
    });
    const leaving = new AbortController();
    const response = await fetch(`${chats.site.url}/v1/workspaces/${workspace}/chat`, {
      method: 'POST',
      headers: { Authorization: owner.authorization, 'Content-Type': 'application/json' },
      body: JSON.stringify({ query: QUESTION }),
      signal: leaving.signal,
    });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    for (let seen = ''; !seen.includes('Five days');) {
      const { done, value } = await reader.read();
      if (done) throw new Error(`ended after ${seen}`);
      seen += value;
    }
    leaving.abort();
    await waitFor(() => left);
    const id = response.headers.get('X-Conversation-Id')!;
    const { messages } = await waitFor(() => chats.conversation(id).catch(() => null));
    expect(messages[1]).toMatchObject({ content: 'Five days', status: 'cancelled', citations: [] });
  });

  it.each([
    ['before the stream starts', 0],
    ['before the model writes', 1],
  ])('cancels the model call if the reader disconnects %s', async (_when, streams) => {
    let left = false;
    chats.model.says(async (answer) => {
      // The gateway answers only after the model has sent something.
      if (streams > 0) answer.delta({ role: 'assistant' });
      await answer.left();
      left = true;
    });
    const before = chats.model.requests.length;
    const leaving = new AbortController();
    const answer = fetch(`${chats.site.url}/v1/workspaces/${workspace}/chat`, {
      method: 'POST',
      headers: { Authorization: owner.authorization, 'Content-Type': 'application/json' },
      body: JSON.stringify({ query: QUESTION }),
      signal: leaving.signal,
    });
    await waitFor(() => chats.model.requests.length > before);
    expect(await running(chats.site.app)).toBe(1);
    if (streams > 0) await answer;
    leaving.abort();
    await answer.then(
      (response) => expect(response.text()).rejects.toThrow('aborted'),
      (error: Error) => expect(error.name).toBe('AbortError'),
    );
    await waitFor(() => left);
    await waitFor(async () => (await running(chats.site.app)) === 0);
  });

  it('leaves nothing that waits for a suspension if the reader disconnects during the search', async () => {
    const suspensions = chats.site.app.get(Suspensions);
    const watch = suspensions.watch.bind(suspensions);
    const watches = new Set<unknown>();
    jest.spyOn(suspensions, 'watch').mockImplementation((caller, end) => {
      watches.add(end);
      const unwatch = watch(caller, end);
      return () => {
        watches.delete(end);
        unwatch();
      };
    });
    const answers = jest.spyOn(chats.site.app.get(ChatService), 'answer');
    const searches = chats.site.app.get(SearchService);
    const find = searches.find.bind(searches);
    let goOn: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    const searched = jest
      .spyOn(searches, 'find')
      .mockImplementation((...question) => held.then(() => find(...question)));
    try {
      const leaving = new AbortController();
      const answer = fetch(`${chats.site.url}/v1/workspaces/${workspace}/chat`, {
        method: 'POST',
        headers: { Authorization: owner.authorization, 'Content-Type': 'application/json' },
        body: JSON.stringify({ query: QUESTION }),
        signal: leaving.signal,
      });
      await waitFor(() => searched.mock.calls.length > 0);
      leaving.abort();
      await expect(answer).rejects.toThrow('aborted');
      const [, , response] = answers.mock.calls[0]!;
      await waitFor(() => response.closed);
      goOn();
      await Promise.allSettled([answers.mock.results[0]!.value]);
      await waitFor(async () => (await running(chats.site.app)) === 0);
      expect(watches.size).toBe(0);
    } finally {
      jest.restoreAllMocks();
    }
  });

  it('is reported to the reader if the service stops', async () => {
    chats.model.says(async (answer) => {
      answer.delta({ content: 'Five days' });
      await answer.left();
    });
    const replica = await chats.site.startReplica();
    const response = await owner.at(replica.url).call('POST', `/${workspace}/chat`, { query: QUESTION });
    let raw = '';
    const reading = (async () => {
      const decoder = new TextDecoder();
      for await (const bytes of response.body!) raw += decoder.decode(bytes, { stream: true });
    })();
    await waitFor(() => raw.includes('Five days'));
    expect(await running(replica.app)).toBe(1);
    await replica.close();
    await reading;
    const { text, citations, error } = readEvents(raw);
    expect([text, citations, error?.code]).toEqual(['Five days', undefined, 'interrupted']);
    const { messages } = await chats.conversation(response.headers.get('X-Conversation-Id')!);
    expect(messages[1]).toMatchObject({ content: 'Five days', status: 'failed' });
  });

  it('is reported before the search ends if the service stops, without a model call', async () => {
    const replica = await chats.site.startReplica({ SHUTDOWN_GRACE_SECONDS: '0' });
    const before = chats.model.requests.length;
    const holder = await chats.site.pool.connect();
    await holder.query('BEGIN');
    await holder.query('LOCK TABLE memo.segments');
    const answer = owner.at(replica.url).call('POST', `/${workspace}/chat`, { query: QUESTION });
    await waitForLock(chats.site.pool);
    const closed = replica.close();
    await wait(1_000);
    await holder.query('ROLLBACK');
    holder.release();
    expect((await answer).status).toBe(503);
    await closed;
    expect(chats.model.requests).toHaveLength(before);
  });

  it('is reported before the model starts if the service stops', async () => {
    chats.model.says((answer) => answer.left());
    const replica = await chats.site.startReplica();
    const before = chats.model.requests.length;
    const answer = owner.at(replica.url).call('POST', `/${workspace}/chat`, { query: QUESTION });
    await waitFor(() => chats.model.requests.length > before);
    await replica.close();
    // On a slow machine the stream has started before, and the error is its last event.
    expect(await (await answer).text()).toContain('"code":"interrupted"');
  });

  it.each<[string, unknown, string]>([
    ['no query', {}, 'query: is missing'],
    ['an empty query', { query: ' \n' }, 'query: must not be empty'],
    ['a long query', { query: 'x'.repeat(4_001) }, 'query: must have at most 4000 characters'],
    ['a query that is not a string', { query: 7 }, 'query: must be a text'],
    ['no passages', { query: 'x', k: 0 }, 'k: must be a whole number from 1 to 50'],
    ['too many passages', { query: 'x', k: 51 }, 'k: must be a whole number from 1 to 50'],
    ['half a passage', { query: 'x', k: 1.5 }, 'k: must be a whole number from 1 to 50'],
    ['a number as text', { query: 'x', k: '6' }, 'k: must be a whole number from 1 to 50'],
    ['more', { query: 'x', model: 'y' }, 'model: is not known here'],
    [
      'a conversation that cannot exist',
      { query: 'x', conversation_id: '' },
      'conversation_id: must be an id like conv_0Vc3kZ8dQ1mXw7RtYb2LsA',
    ],
  ])('is 400 for %s', async (_what, body, error) => {
    expect(await chats.refused(body)).toEqual([400, error]);
  });

  it('is 404 for a caller who is not a member', async () => {
    const stranger = await chats.site.person();
    expect(await chats.refused({ query: QUESTION }, stranger)).toEqual([404, 'no such workspace']);
    expect((await chats.refused({ query: QUESTION }, owner.withKey('sk_nothing')))[0]).toBe(401);
    const elsewhere = await stranger.newWorkspace();
    expect((await stranger.refusal('POST', `/${elsewhere}/chat`, { query: '' }))[0]).toBe(400);
  });
});

describe('without a model', () => {
  it('an answer consists of sentences of the documents, in their language', async () => {
    const { url } = await chats.site.startReplica({ CHAT_MODEL: '' });
    const person = owner.at(url);
    await owner.addDocument(workspace, CHINESE);
    const before = chats.model.requests.length;
    const english = await chat(person, workspace, { query: QUESTION });
    const snippet = 'Refunds are issued within five days of the return.';
    expect(english.text).toBe(`${snippet} [1]`);
    const citation = { number: 1, documentId: chats.documentId, snippet };
    expect(readCitations(english.citations)).toMatchObject([citation]);
    const chinese = await chat(person, workspace, { query: '退货后多少天完成退款？' });
    expect(chinese.text).toContain('退货后五天内完成退款。 [1]');
    expect(chats.model.requests).toHaveLength(before);
    expect((await chats.conversation(english.conversationId)).messages[1]).toMatchObject({ model: null });
  });

  it('an answer is not misread if a document looks like an answer', async () => {
    const { url } = await chats.site.startReplica({ CHAT_MODEL: '' });
    const person = owner.at(url);
    const penguins = await person.newWorkspace();
    const text = 'Penguins live in the south, as [2] says and 【1】 [77]. Citations: none';
    const { id } = await person.addDocument(penguins, { title: 'Birds', text });
    await person.addDocument(penguins, { title: 'Other birds', text: 'Ostriches live in Africa.' });
    const answer = await chat(person, penguins, { query: 'Where do penguins live in the south?' });
    expect(answer.text).toBe('Penguins live in the south, as (2) says and (1) (77). [1]');
    const snippet = 'Penguins live in the south, as [2] says and 【1】 [77].';
    expect(readCitations(answer.citations)).toMatchObject([{ number: 1, documentId: id, snippet }]);
  });
});
