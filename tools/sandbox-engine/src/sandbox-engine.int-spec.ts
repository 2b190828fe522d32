import OpenAI from 'openai';
import { type SandboxEngine, startSandboxEngine } from './index';

const MESSAGES: OpenAI.ChatCompletionMessageParam[] = [
  { role: 'system', content: 'You are brief.' },
  { role: 'user', content: 'Say  hello\nto me' },
];
// 3 words and 4 words, and 4 tokens for each of the two messages.
const PROMPT_TOKENS = 15;

let engine: SandboxEngine;
let openai: OpenAI;

beforeAll(async () => {
  engine = await startSandboxEngine({ port: 0 });
  openai = new OpenAI({ baseURL: `${engine.url}/v1`, apiKey: 'any', maxRetries: 0 });
});
afterAll(() => engine.close());

async function servedBy(work: () => Promise<unknown>): Promise<ReturnType<SandboxEngine['served']>> {
  await fetch(`${engine.url}/_sandbox/reset`, { method: 'POST' });
  await work();
  return engine.served();
}

async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

/** The payloads of the `data:` lines of a stream, as received. */
async function events(path: string, body: object): Promise<string[]> {
  const response = await fetch(`${engine.url}${path}`, { method: 'POST', body: JSON.stringify(body) });
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  const text = await response.text();
  expect(text.endsWith('\n\n')).toBe(true);
  return text
    .trimEnd()
    .split('\n\n')
    .map((event) => {
      expect(event).toMatch(/^data: [^\n]+$/);
      return event.slice('data: '.length);
    });
}

describe('models and health', () => {
  it('lists its models', async () => {
    const models = await collect(await openai.models.list());
    expect(models.map(({ id }) => id)).toEqual([
      ...['sandbox-chat', 'sandbox-mini', 'sandbox-embed', 'sandbox-rerank', 'sandbox-image'],
      ...['sandbox-audio', 'sandbox-speech', 'sandbox-moderation'],
    ]);
    expect(models[0]).toEqual({
      id: 'sandbox-chat',
      object: 'model',
      created: expect.any(Number),
      owned_by: 'sandbox',
    });
  });

  it('is healthy', async () => {
    const response = await fetch(`${engine.url}/healthz`);
    expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }]);
  });
});

describe('chat', () => {
  it('answers without streaming, in the shape of OpenAI, with the actual usage', async () => {
    const answer = await openai.chat.completions.create({ model: 'sandbox-chat', messages: MESSAGES });
    expect(answer).toEqual({
      id: expect.stringMatching(/^chatcmpl-[0-9a-z]{20}$/),
      object: 'chat.completion',
      created: expect.any(Number),
      model: 'sandbox-chat',
      service_tier: 'default',
      system_fingerprint: 'fp_sandbox',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: expect.any(String), refusal: null, annotations: [] },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: expect.objectContaining({
        prompt_tokens: PROMPT_TOKENS,
        completion_tokens: 64,
        total_tokens: PROMPT_TOKENS + 64,
      }),
    });
    expect(answer.choices[0]?.message.content?.split(' ')).toHaveLength(64);
    expect(Math.abs(answer.created - Date.now() / 1000)).toBeLessThan(60);
  });

  it('generates the same text for the same prompt and model, and other texts otherwise', async () => {
    const say = async (model: string, content: string): Promise<string | null | undefined> => {
      const answer = await openai.chat.completions.create({ model, messages: [{ role: 'user', content }] });
      return answer.choices[0]?.message.content;
    };
    const first = await say('sandbox-chat', 'one');
    expect(await say('sandbox-chat', 'one')).toBe(first);
    expect(await say('sandbox-chat', 'two')).not.toBe(first);
    expect(await say('sandbox-mini', 'one')).not.toBe(first);
  });

  it('gives every answer its own id', async () => {
    const create = (): Promise<OpenAI.ChatCompletion> =>
      openai.chat.completions.create({ model: 'sandbox-chat', messages: MESSAGES });
    const ids = (await Promise.all(Array.from({ length: 20 }, create))).map(({ id }) => id);
    expect(new Set(ids).size).toBe(20);
  });

  it.each([
    [1, 1, 'length'],
    [63, 63, 'length'],
    [64, 64, 'stop'],
    [5_000, 64, 'stop'],
  ])('a limit of %d produces %d tokens and the finish reason %s', async (limit, tokens, reason) => {
    for (const name of ['max_tokens', 'max_completion_tokens']) {
      const answer = await openai.chat.completions.create({
        model: 'sandbox-chat',
        messages: MESSAGES,
        [name]: limit,
      });
      expect(answer.usage?.completion_tokens).toBe(tokens);
      expect(answer.choices[0]?.message.content?.split(' ')).toHaveLength(tokens);
      expect(answer.choices[0]?.finish_reason).toBe(reason);
    }
  });

  it('streams a role, one token per event, the reason and the end, and no usage unless requested', async () => {
    const body = { model: 'sandbox-chat', messages: MESSAGES };
    const lines = await events('/v1/chat/completions', { ...body, stream: true, max_tokens: 5 });
    expect(lines.pop()).toBe('[DONE]');
    const chunks = lines.map((line): OpenAI.ChatCompletionChunk => JSON.parse(line));
    expect(chunks).toHaveLength(7);
    expect(chunks[0]).toEqual({
      id: expect.stringMatching(/^chatcmpl-/),
      object: 'chat.completion.chunk',
      created: expect.any(Number),
      model: 'sandbox-chat',
      service_tier: 'default',
      system_fingerprint: 'fp_sandbox',
      choices: [
        {
          index: 0,
          delta: { role: 'assistant', content: '', refusal: null },
          logprobs: null,
          finish_reason: null,
        },
      ],
    });
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    for (const chunk of chunks.slice(1, 6)) {
      expect(chunk.choices[0]?.delta).toEqual({ content: expect.stringMatching(/^ ?[a-z]+$/) });
      expect(chunk.choices[0]?.finish_reason).toBeNull();
    }
    expect(chunks[6]?.choices).toEqual([{ index: 0, delta: {}, logprobs: null, finish_reason: 'length' }]);
    const whole = await openai.chat.completions.create({ ...body, max_tokens: 5 });
    const streamedText = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
    expect(streamedText).toBe(whole.choices[0]?.message.content);
  });

  it('streams usage on request: null in every chunk, then the figures in a chunk without choices', async () => {
    const lines = await events('/v1/chat/completions', {
      model: 'sandbox-chat',
      messages: MESSAGES,
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(lines.pop()).toBe('[DONE]');
    const chunks = lines.map((line): OpenAI.ChatCompletionChunk => JSON.parse(line));
    const last = chunks.pop();
    expect(chunks).toHaveLength(66);
    for (const chunk of chunks) expect(chunk).toHaveProperty('usage', null);
    expect(last?.choices).toEqual([]);
    expect(last?.usage).toMatchObject({
      prompt_tokens: PROMPT_TOKENS,
      completion_tokens: 64,
      total_tokens: PROMPT_TOKENS + 64,
    });
  });

  it('produces n different choices, equal with and without streaming, and counts all of them', async () => {
    const request = { model: 'sandbox-chat', messages: MESSAGES, n: 3, max_tokens: 4 };
    const whole = await openai.chat.completions.create(request);
    const texts = whole.choices.map(({ message }) => message.content);
    expect(whole.choices.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(new Set(texts).size).toBe(3);
    expect(whole.usage?.completion_tokens).toBe(12);
    const streamed = ['', '', ''];
    const served = await servedBy(async () => {
      for await (const { choices } of await openai.chat.completions.create({ ...request, stream: true })) {
        for (const { index, delta } of choices) streamed[index] += delta.content ?? '';
      }
    });
    expect(streamed).toEqual(texts);
    expect(served.completion_tokens).toBe(12);
  });

  it("reads a message's text parts like plain text", async () => {
    const content = [
      { type: 'text' as const, text: 'two words' },
      { type: 'image_url' as const, image_url: { url: 'data:image/png;base64,AAAA' } },
    ];
    const answer = await openai.chat.completions.create({
      model: 'sandbox-chat',
      messages: [{ role: 'user', content }],
    });
    expect(answer.usage?.prompt_tokens).toBe(6);
  });
});

describe('completions', () => {
  it('returns the same texts with and without streaming, for several prompts', async () => {
    const request = {
      model: 'sandbox-mini',
      prompt: ['one two three', 'four'],
      n: 2,
      max_tokens: 6,
    };
    const whole = await openai.completions.create(request);
    expect(whole).toMatchObject({
      id: expect.stringMatching(/^cmpl-/),
      object: 'text_completion',
      model: 'sandbox-mini',
      usage: { prompt_tokens: 4, completion_tokens: 24, total_tokens: 28 },
    });
    expect(whole.choices.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
    expect(whole.choices[0]).toEqual({
      text: expect.any(String),
      index: 0,
      logprobs: null,
      finish_reason: 'length',
    });
    const chunks = await collect(
      await openai.completions.create({ ...request, stream: true, stream_options: { include_usage: true } }),
    );
    const texts = ['', '', '', ''];
    for (const { choices } of chunks) for (const { index, text } of choices) texts[index] += text;
    expect(texts).toEqual(whole.choices.map(({ text }) => text));
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: whole.usage });
    expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true);
  });

  it('takes prompts of token numbers', async () => {
    const count = async (prompt: number[] | number[][]): Promise<number | undefined> =>
      (await openai.completions.create({ model: 'sandbox-chat', prompt })).usage?.prompt_tokens;
    expect(await count([5, 6, 7])).toBe(3);
    expect(await count([[5, 6, 7], [8]])).toBe(4);
  });
});

describe('what was served', () => {
  it('counts the tokens of every finished answer, and nothing of a refusal', async () => {
    const served = await servedBy(async () => {
      const request = { model: 'sandbox-chat', messages: MESSAGES };
      await openai.chat.completions.create(request);
      await collect(await openai.chat.completions.create({ ...request, stream: true, max_tokens: 3 }));
      await openai.completions.create({ model: 'sandbox-chat', prompt: 'a b', max_tokens: 2 });
      await openai.embeddings.create({ model: 'sandbox-embed', input: 'a b c' });
      await expect(openai.chat.completions.create({ ...request, max_tokens: 0 })).rejects.toThrow();
    });
    expect(served).toEqual({
      requests: 5,
      prompt_tokens: 2 * PROMPT_TOKENS + 2 + 3,
      completion_tokens: 64 + 3 + 2,
      aborted: 0,
    });
    const response = await fetch(`${engine.url}/_sandbox/served`);
    expect(await response.json()).toEqual(served);
  });
});
