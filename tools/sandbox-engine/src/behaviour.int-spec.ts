import OpenAI from 'openai';
import { type SandboxEngine, startSandboxEngine } from './index';
import {
  PROMPT_TOKENS,
  readAll,
  TestClient,
  withSandboxHeader,
  tokensIn,
  until,
} from './test-client.fixture';

/** Long enough to check that nothing more arrives. */
const SILENCE_MS = 200;
const NOTHING = { prompt_tokens: 0, completion_tokens: 0 };

let engine: SandboxEngine;
let client: TestClient;

beforeEach(async () => {
  engine = await startSandboxEngine({ port: 0 });
  client = new TestClient(engine.url);
});
afterEach(() => engine.close());

describe('failures before the answer', () => {
  it('fail-before: closes the connection without a byte', async () => {
    await expect(client.post('sandbox-chat+fail-before')).rejects.toThrow();
    await expect(
      client.post('sandbox-chat', { stream: true }, withSandboxHeader('fail-before')),
    ).rejects.toThrow();
    expect(engine.served()).toEqual({ requests: 2, ...NOTHING, aborted: 2 });
  });

  it('hang: never answers', async () => {
    const leave = new AbortController();
    const asked = client.post('sandbox-chat+hang', {}, { signal: leave.signal });
    await until(() => engine.served().requests === 1);
    leave.abort();
    await expect(asked).rejects.toThrow();
    await until(() => engine.served().aborted === 1);
    expect(engine.served()).toEqual({ requests: 1, ...NOTHING, aborted: 1 });
  });

  it.each([
    [400, 'invalid_request_error', OpenAI.BadRequestError],
    [401, 'invalid_request_error', OpenAI.AuthenticationError],
    [403, 'invalid_request_error', OpenAI.PermissionDeniedError],
    [404, 'invalid_request_error', OpenAI.NotFoundError],
    [418, 'invalid_request_error', OpenAI.APIError],
    [429, 'requests', OpenAI.RateLimitError],
    [500, 'server_error', OpenAI.InternalServerError],
    [503, 'server_error', OpenAI.InternalServerError],
  ])("status-%d: answers it with OpenAI's error body", async (status, type, errorClass) => {
    const response = await client.post(`sandbox-chat+status-${status}`, { stream: true });
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('retry-after')).toBe(status === 429 || status === 503 ? '1' : null);
    const body = (await response.json()) as { error: { code: unknown } };
    const { code } = body.error;
    expect(body).toEqual({ error: { message: expect.any(String), type, param: null, code } });
    expect(code === null || typeof code === 'string').toBe(true);
    const openai = new OpenAI({ baseURL: `${engine.url}/v1`, apiKey: 'any', maxRetries: 0 });
    const call = openai.embeddings.create({ model: `sandbox-embed+status-${status}`, input: 'x' });
    await expect(call).rejects.toThrow(errorClass);
    expect(engine.served()).toEqual({ requests: 2, ...NOTHING, aborted: 0 });
  });

  it('retry-after: sets the seconds', async () => {
    const response = await client.post('sandbox-chat', {}, withSandboxHeader('status=429; retry-after=7'));
    expect(response.headers.get('retry-after')).toBe('7');
  });

  it('a failure in the header affects every model name', async () => {
    expect((await client.post('no-such-model', {}, withSandboxHeader('status=500'))).status).toBe(500);
  });
});

describe('failures in the middle of a stream', () => {
  const stream = { stream: true, stream_options: { include_usage: true } };
  const counted = (tokens: number): object => ({ prompt_tokens: PROMPT_TOKENS, completion_tokens: tokens });

  it.each([
    ['sandbox-chat+fail-mid', 3],
    ['sandbox-chat+fail-mid=7', 7],
    ['sandbox-chat+fail-mid=4+delay=10', 4],
    ['sandbox-chat+fail-mid=99', 64],
  ])('%s: closes the connection after %d tokens, which all arrive', async (model, tokens) => {
    const { text, broke } = await readAll(await client.post(model, stream));
    expect(broke).toBe(true);
    expect(tokensIn(text)).toBe(tokens);
    expect(text).not.toMatch(/\[DONE\]|"finish_reason":"|total_tokens/);
    await until(() => engine.served().aborted === 1);
    expect(engine.served()).toEqual({ requests: 1, ...counted(tokens), aborted: 1 });
  });

  it('fail-mid=0: closes the connection before the first token, and nothing counts', async () => {
    const { text, broke } = await readAll(await client.post('sandbox-chat+fail-mid=0', stream));
    expect([broke, tokensIn(text)]).toEqual([true, 0]);
    expect(text).toContain('"role":"assistant"');
    await until(() => engine.served().aborted === 1);
    expect(engine.served()).toEqual({ requests: 1, ...NOTHING, aborted: 1 });
  });

  it('error-mid: sends an error event, which the client throws', async () => {
    const { text, broke } = await readAll(await client.post('sandbox-chat+error-mid=2', stream));
    expect([broke, tokensIn(text)]).toEqual([false, 2]);
    expect(text).toMatch(
      /\n\ndata: \{"error":\{"message":"[^"]+","type":"server_error","param":null,"code":null\}\}\n\n$/,
    );
    expect(engine.served()).toMatchObject(counted(2));
    const openai = new OpenAI({ baseURL: `${engine.url}/v1`, apiKey: 'any', maxRetries: 0 });
    const chunks = await openai.chat.completions.create({
      model: 'sandbox-chat+error-mid',
      messages: [{ role: 'user', content: 'hello' }],
      stream: true,
    });
    const read = async (): Promise<void> => {
      for await (const chunk of chunks) expect(chunk.object).toBe('chat.completion.chunk');
    };
    await expect(read()).rejects.toThrow(OpenAI.APIError);
  });

  it('end-mid: ends properly but without [DONE]', async () => {
    const { text, broke } = await readAll(await client.post('sandbox-chat+end-mid=2', stream));
    expect([broke, tokensIn(text)]).toEqual([false, 2]);
    expect(text).not.toMatch(/\[DONE\]|"finish_reason":"/);
    expect(engine.served()).toEqual({ requests: 1, ...counted(2), aborted: 0 });
  });

  it('hang-mid: sends nothing more', async () => {
    const leave = new AbortController();
    const response = await client.post('sandbox-chat+hang-mid=2', stream, { signal: leave.signal });
    const reading = readAll(response);
    await until(() => engine.served().completion_tokens === 2);
    setTimeout(() => leave.abort(), SILENCE_MS);
    const { text, broke } = await reading;
    expect([broke, tokensIn(text)]).toEqual([true, 2]);
    await until(() => engine.served().aborted === 1);
    expect(engine.served()).toMatchObject(counted(2));
  });

  it('malformed: sends one event that is no JSON, and goes on', async () => {
    const { text, broke } = await readAll(await client.post('sandbox-chat+malformed', stream));
    expect([broke, tokensIn(text)]).toEqual([false, 64]);
    const events = text.trimEnd().split('\n\n').slice(0, -1);
    const broken = events.filter((event) => {
      try {
        JSON.parse(event.slice('data: '.length));
        return false;
      } catch {
        return true;
      }
    });
    expect(broken).toHaveLength(1);
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  });
});

describe('failures of a whole answer', () => {
  it.each(['fail-mid', 'hang-mid'])('%s: sends less than it announced, and counts nothing', async (name) => {
    const leave = new AbortController();
    const response = await client.post(`sandbox-chat+${name}`, {}, { signal: leave.signal });
    setTimeout(() => leave.abort(), SILENCE_MS);
    const { text, broke } = await readAll(response);
    expect(broke).toBe(true);
    expect(text.length).toBeGreaterThan(0);
    expect(text.length).toBeLessThan(Number(response.headers.get('content-length')));
    await until(() => engine.served().aborted === 1);
    expect(engine.served()).toEqual({ requests: 1, ...NOTHING, aborted: 1 });
  });

  it.each(['malformed', 'end-mid'])('%s: sends a body that is no JSON, and counts nothing', async (name) => {
    const response = await client.post('sandbox-chat', {}, withSandboxHeader(name));
    expect(response.status).toBe(200);
    await expect(response.json()).rejects.toThrow('JSON');
    expect(engine.served()).toMatchObject(NOTHING);
  });

  it('error-mid: answers 500', async () => {
    expect((await client.post('sandbox-chat+error-mid')).status).toBe(500);
    expect(engine.served()).toMatchObject(NOTHING);
  });
});

describe('usage', () => {
  const stream = { stream: true, stream_options: { include_usage: true } };

  it('no-usage: omits the usage with and without streaming, but counts the served tokens', async () => {
    expect(await (await client.post('sandbox-chat+no-usage')).json()).not.toHaveProperty('usage');
    const { text } = await readAll(await client.post('sandbox-chat+no-usage', stream));
    expect(text).not.toContain('"usage"');
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    expect(engine.served()).toMatchObject({ prompt_tokens: 2 * PROMPT_TOKENS, completion_tokens: 128 });
  });

  it('zero-usage: says zero everywhere', async () => {
    const zero = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
    expect(await (await client.post('sandbox-chat+zero-usage')).json()).toMatchObject({ usage: zero });
    const { text } = await readAll(await client.post('sandbox-chat+zero-usage', stream));
    expect(JSON.parse(text.trimEnd().split('\n\ndata: ').at(-2) ?? '')).toMatchObject({
      choices: [],
      usage: zero,
    });
  });
});

describe('selection of a behaviour', () => {
  it('the header overrides the suffix, and the answer has the requested model name', async () => {
    const response = await client.post('sandbox-chat+tokens=9+no-usage', {}, withSandboxHeader('tokens = 2'));
    const answer = (await response.json()) as OpenAI.ChatCompletion;
    expect(answer.model).toBe('sandbox-chat+tokens=9+no-usage');
    expect(answer.choices[0]?.message.content?.split(' ')).toHaveLength(2);
    expect(answer).not.toHaveProperty('usage');
  });

  it.each(['nonsense', 'delay', 'tokens=-1', 'status=200', 'hang=3', 'constructor'])(
    'refuses %s in the header, and knows no model with it as suffix',
    async (item) => {
      const byHeader = await client.post('sandbox-chat', {}, withSandboxHeader(item));
      expect(byHeader.status).toBe(400);
      expect(await byHeader.json()).toMatchObject({ error: { param: 'x-sandbox' } });
      const bySuffix = await client.post(`sandbox-chat+${item}`);
      expect(bySuffix.status).toBe(404);
      expect(await bySuffix.json()).toMatchObject({ error: { code: 'model_not_found' } });
    },
  );
});
