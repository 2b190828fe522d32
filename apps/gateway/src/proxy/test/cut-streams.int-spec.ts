import { once } from 'node:events';
import { type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { estimateTokens } from '@inference/tokens';
import { type TestAccount, waitFor } from '@inference/testing';
import {
  costOf,
  RATES,
  type ScriptedUpstream,
  type StoredEvent,
  startUpstream,
  TestSite,
} from '../../testing/gateway.fixture';

/** Requests that their client leaves before the upstream has reported what it used: everything that was sent or produced counts. */

const TEXT = Array.from({ length: 3_000 }, (_, i) => `word${i % 7}`).join(' ');
const TEXT_TOKENS = estimateTokens(TEXT);
/** A text of this length is counted by a sample. */
const TOLERANCE = 0.1;
const CONTEXT_TOKENS = 131_072;
const BASE64 = Buffer.from(Array.from({ length: 150_000 }, (_, i) => (i * 7_919) % 251)).toString('base64');
const USER = { role: 'user', content: 'Hello' };
/** Requests of other protocols for the same model. */
const OTHERS: Record<string, object> = {
  '/v1/messages': { max_tokens: 50_000, messages: [USER], stream: true },
  '/v1/responses': { input: 'Hello', stream: true },
};

let site: TestSite;
let upstream: ScriptedUpstream;
/** What the upstream sends before it falls silent; nothing at all if null. */
let delta: object | null;
let account: TestAccount;

const event = (chunk: object) => `data: ${JSON.stringify(chunk)}\n\n`;

function answer(response: ServerResponse, isChat: boolean): void {
  if (delta === null) return;
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  response.write(event({ choices: [{ index: 0, ...(isChat ? { delta } : delta) }] }));
}

beforeAll(async () => {
  upstream = await startUpstream((request, response) => answer(response, request.url!.includes('chat')));
  site = await TestSite.start({ m: RATES }, {}, () => [{ name: 'silent', base_url: upstream.url }]);
});
beforeEach(async () => {
  delta = { content: 'Hello' };
  account = await site.account();
  upstream.bodies.length = 0;
});
afterAll(async () => {
  await site.stop();
  await upstream.close();
});

/** Sends a request, leaves at the first byte of its answer or, if there is none, when the upstream has it, and returns the charge. */
async function leave(path: string, body: object): Promise<StoredEvent> {
  const client = new AbortController();
  const sent = site.post(path, account.apiKey, { model: 'm', ...body }, { signal: client.signal });
  if (delta) await (await sent).body!.getReader().read();
  else while (upstream.bodies.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  client.abort();
  if (!delta) await expect(sent).rejects.toThrow();
  const stored = await site.onlyEvent(account);
  expect(stored).toMatchObject({ outcome: 'disconnected', estimated: true });
  await site.expectCharged(account, costOf(RATES, Number(stored.input_tokens), Number(stored.output_tokens)));
  return stored;
}

const leaveChat = (message: object, more: object = {}) =>
  leave('/v1/chat/completions', { messages: [USER, { role: 'user', ...message }], stream: true, ...more });

const expectTokens = (counted: bigint, tokens: number, most = tokens * (1 + TOLERANCE) + 30) => {
  expect(Number(counted)).toBeGreaterThanOrEqual(tokens * (1 - TOLERANCE));
  expect(Number(counted)).toBeLessThanOrEqual(most);
};

describe('the prompt of a stream that its client leaves', () => {
  const schema = { type: 'object', properties: { harbour: { type: 'string', description: TEXT } } };

  it.each<[string, object, object]>([
    ['reasoning_content', { role: 'assistant', content: null, reasoning_content: TEXT }, {}],
    ['calls of tools', { tool_calls: [{ function: { name: 'f', arguments: TEXT } }] }, {}],
    ['a name', { content: '', name: TEXT }, {}],
    ['documents', {}, { documents: [{ title: 'Harbours', text: TEXT }] }],
    ['schemas of tools', {}, { tools: [{ type: 'function', function: { name: 'f', parameters: schema } }] }],
    ['schemas of functions', {}, { functions: [{ name: 'f', parameters: schema }] }],
    [
      'the schema of the answer',
      {},
      { response_format: { type: 'json_schema', json_schema: { name: 's', schema } } },
    ],
    ['an unknown field', {}, { knowledge: TEXT }],
    ['text beside a picture', { content: [{ type: 'text', text: TEXT }] }, {}],
  ])('includes %s', async (_, message, more) => {
    const { input_tokens: tokens } = await leaveChat(message, more);
    expectTokens(tokens, TEXT_TOKENS, 1.5 * TEXT_TOKENS);
  });

  it.each<[string, object, number, number]>([
    ['a picture', { type: 'image_url', image_url: { url: `data:image/png;base64,${BASE64}` } }, 1_445, 1_475],
    ['a picture by its address', { type: 'image_url', image_url: { url: 'https://a.test/b' } }, 1_445, 1_475],
    ['audio', { type: 'input_audio', input_audio: { data: BASE64, format: 'mp3' } }, 375, 405],
    ['a part of another type', { type: 'scan', scan: BASE64 }, BASE64.length / 4, CONTEXT_TOKENS],
    [
      'a video by its address',
      { type: 'video_url', video_url: { url: 'https://a.test/b' } },
      CONTEXT_TOKENS,
      CONTEXT_TOKENS,
    ],
  ])('includes %s by the rule of its size', async (_, part, least, most) => {
    const { input_tokens: tokens } = await leaveChat({ content: [part] });
    expect(Number(tokens)).toBeGreaterThanOrEqual(least);
    expect(Number(tokens)).toBeLessThanOrEqual(most);
  });

  it('includes each token id of a completion', async () => {
    delta = { text: 'Hello' };
    const prompt = Array.from({ length: 2_000 }, (_, i) => i);
    const stored = await leave('/v1/completions', { prompt: [prompt, prompt], stream: true });
    expect(stored).toMatchObject({ input_tokens: 4_000n, output_tokens: 1n });
  });

  it('is at most what was reserved', async () => {
    const body = { messages: [{ role: 'user', content: '', note: { a: ['x'.repeat(8)] } }], stream: true };
    const { input_tokens: tokens } = await leave('/v1/chat/completions', body);
    expect(Number(tokens)).toBeLessThanOrEqual(Buffer.byteLength(JSON.stringify({ model: 'm', ...body })));
  });
});

describe('the prompt of a call whose answer has not begun', () => {
  beforeEach(() => {
    delta = null;
  });

  it.each<[string, string, object]>([
    ['a stream', '/v1/chat/completions', { messages: [{ role: 'user', content: TEXT }], stream: true }],
    ['a conversation', '/v1/chat/completions', { messages: [{ role: 'user', content: TEXT }] }],
    ['a stream of a completion', '/v1/completions', { prompt: TEXT, stream: true }],
    ['a completion', '/v1/completions', { prompt: TEXT }],
    ['embeddings', '/v1/embeddings', { input: [TEXT] }],
    ['a stream of a response', '/v1/responses', { input: TEXT, stream: true }],
    ['a response', '/v1/responses', { input: TEXT }],
    [
      'a stream of a message',
      '/v1/messages',
      { max_tokens: 50, messages: [{ role: 'user', content: TEXT }], stream: true },
    ],
    ['a message', '/v1/messages', { max_tokens: 50, messages: [{ role: 'user', content: TEXT }] }],
  ])('is charged for %s', async (_, path, body) => {
    const { input_tokens: input, output_tokens: output } = await leave(path, body);
    expect(output).toBe(0n);
    expectTokens(input, TEXT_TOKENS);
  });
});

describe('what was produced when the client leaves', () => {
  const PRODUCED = Array.from({ length: 300 }, (_, i) => `word${i % 7}`).join(' ');

  it.each<[string, object]>([
    ['content', { content: PRODUCED }],
    ['parts of the content', { content: [{ type: 'text', text: PRODUCED }] }],
    ['reasoning_content', { reasoning_content: PRODUCED }],
    ['reasoning beside an empty reasoning_content', { reasoning: PRODUCED, reasoning_content: '' }],
    ['a refusal', { refusal: PRODUCED }],
    ['arguments of a tool', { tool_calls: [{ index: 0, function: { arguments: PRODUCED } }] }],
    ['the name of a tool', { tool_calls: [{ index: 0, function: { name: PRODUCED } }] }],
    ['the input of a custom tool', { tool_calls: [{ index: 0, custom: { input: PRODUCED } }] }],
    ['a transcript', { audio: { transcript: PRODUCED } }],
    ['a field that is not known', { thinking: PRODUCED }],
  ])('includes %s', async (_, produced) => {
    delta = produced;
    const { output_tokens: tokens } = await leaveChat({});
    expect(Number(tokens)).toBe(estimateTokens(PRODUCED));
  });

  it.each(
    Object.keys(OTHERS).flatMap((path) =>
      [
        { content: PRODUCED },
        { reasoning_content: PRODUCED },
        { refusal: PRODUCED },
        { tool_calls: [{ index: 0, id: 'c', function: { name: '', arguments: PRODUCED } }] },
      ].map((produced) => [path, Object.keys(produced)[0]!, produced] as const),
    ),
  )('of %s includes %s', async (path, _, produced) => {
    delta = produced;
    const { output_tokens: tokens } = await leave(path, OTHERS[path]!);
    expect(Number(tokens)).toBe(estimateTokens(PRODUCED));
  });

  it('includes audio, twenty tokens a second', async () => {
    delta = { audio: { data: Buffer.alloc(3 * 48_000).toString('base64') } };
    expect((await leaveChat({})).output_tokens).toBe(60n);
  });

  it('does not include log probabilities, the ids of calls, or repetitions in another form', async () => {
    delta = {
      content: 'Hello',
      tool_calls: [{ index: 0, id: PRODUCED, type: 'function' }],
      reasoning_details: [{ text: PRODUCED }],
    };
    expect((await leaveChat({})).output_tokens).toBe(1n);
  });
});

describe('a call whose account or key is suspended', () => {
  type Subject = 'accounts' | 'api_keys';
  const suspend = (subject: Subject, isSuspended = true) =>
    site.pool.query(
      `UPDATE accounts.${subject} SET suspended_at = CASE WHEN $2 THEN now() END WHERE id = $1`,
      [subject === 'accounts' ? account.accountId : account.apiKeyId, isSuspended],
    );
  const CHAT = { model: 'm', messages: [USER], stream: true };

  /** The stream from its first byte on, which the suspension cuts. */
  async function cutStream(path: string, body: object, subject: Subject) {
    if (path === '/v1/completions') delta = { text: 'Hello' };
    const response = await site.post(path, account.apiKey, body);
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = (await reader.read()).value ?? '';
    const suspendedAt = performance.now();
    await suspend(subject);
    for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value;
    return { text, millis: performance.now() - suspendedAt };
  }

  it.each<[Subject, string, string]>([
    ['accounts', 'account_suspended', 'permission_error'],
    ['api_keys', 'api_key_suspended', 'invalid_request_error'],
  ])('ends its stream with an error and pays for what was produced: %s', async (subject, code, type) => {
    const { text, millis } = await cutStream('/v1/chat/completions', CHAT, subject);
    expect(millis).toBeLessThan(5_000);
    const last = JSON.parse(text.trimEnd().split('data: ').at(-1)!) as unknown;
    expect(last).toMatchObject({ error: { code, type, param: null } });
    expect(text).not.toContain('[DONE]');
    const stored = await site.onlyEvent(account);
    expect(stored).toMatchObject({ outcome: 'interrupted', output_tokens: 1n, estimated: true });
    await site.expectCharged(account, costOf(RATES, Number(stored.input_tokens), 1));
  });

  it.each(Object.entries({ ...OTHERS, '/v1/completions': { prompt: 'Hello', stream: true } }))(
    'ends a stream of %s with the error of its protocol',
    async (path, body) => {
      const { text, millis } = await cutStream(path, { model: 'm', ...body }, 'accounts');
      expect(millis).toBeLessThan(5_000);
      const last = text.trimEnd().split('\n\n').at(-1)!;
      expect(last).toContain('this account is suspended; sign in to the console to read why');
      if (path === '/v1/messages') expect(last).toMatch(/^event: error\n.*"permission_error"/);
      if (path === '/v1/responses') expect(last).toMatch(/^event: (error|response\.failed)\n/);
      await site.expectCharged(account, (await site.onlyEvent(account)).cost_picos);
    },
  );

  it.each([
    ['a plain call', { ...CHAT, stream: false }],
    ['a stream that has not begun', CHAT],
  ])('costs nothing for %s', async (_, body) => {
    delta = null;
    const sent = site.post('/v1/chat/completions', account.apiKey, body);
    await waitFor(() => upstream.bodies.length > 0);
    await suspend('accounts');
    const refused = await sent;
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ error: { code: 'account_suspended' } });
    await site.expectCharged(account, 0n);
    const { rows } = await waitFor(async () => {
      const found = await site.pool.query(
        'SELECT kind, http_status, error_code, upstream FROM metering.unserved_calls WHERE account_id = $1',
        [account.accountId],
      );
      return found.rows.length > 0 && found;
    });
    expect(rows[0]).toMatchObject({ kind: 'refused', http_status: 403, error_code: 'account_suspended' });
  });

  it.each<[Subject, number, string]>([
    ['accounts', 403, 'account_suspended'],
    ['api_keys', 401, 'invalid_api_key'],
  ])('is refused until it is reactivated: %s', async (subject, status, code) => {
    const call = () => site.post('/v1/chat/completions', account.apiKey, { ...CHAT, model: 'none' });
    expect((await call()).status).toBe(404);
    const suspendedAt = performance.now();
    await suspend(subject);
    await waitFor(async () => (await call()).status === status);
    expect(performance.now() - suspendedAt).toBeLessThan(2_500);
    expect(await (await call()).json()).toMatchObject({ error: { code } });
    await suspend(subject, false);
    await waitFor(async () => (await call()).status === 404);
  });

  it('disconnects a client that reads nothing', async () => {
    delta = { content: 'x'.repeat(8_000_000) };
    const { hostname, port } = new URL(site.gateway.url);
    const body = JSON.stringify(CHAT);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${account.apiKey}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await once(socket, 'data');
    socket.pause();
    await suspend('accounts');
    // The charge waits for the client, until the gateway disconnects it.
    await site.onlyEvent(account);
    socket.destroy();
  });
});
