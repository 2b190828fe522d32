import OpenAI from 'openai';
import { type SandboxEngine, startSandboxEngine } from '../index';

const TOOLS: OpenAI.ChatCompletionTool[] = [
  {
    type: 'function',
    function: {
      name: 'look_up',
      parameters: {
        type: 'object',
        properties: {
          city: { type: 'string' },
          days: { type: 'integer' },
          unit: { enum: ['metric', 'imperial'] },
          tags: { type: 'array', items: { type: 'string' } },
          strict: { type: 'boolean' },
        },
      },
    },
  },
  { type: 'function', function: { name: 'ping' } },
];

let engine: SandboxEngine;
let openai: OpenAI;

beforeAll(async () => {
  engine = await startSandboxEngine({ port: 0 });
  openai = new OpenAI({ baseURL: `${engine.url}/v1`, apiKey: 'any', maxRetries: 0 });
});
afterAll(() => engine.close());

type Extra = Partial<OpenAI.ChatCompletionCreateParamsNonStreaming>;

async function ask(content: string, extra: Extra = {}): Promise<OpenAI.ChatCompletion> {
  const messages = [{ role: 'user' as const, content }];
  return openai.chat.completions.create({ model: 'sandbox-chat', messages, tools: TOOLS, ...extra });
}

function callOf(answer: OpenAI.ChatCompletion): { name: string; arguments: string } | undefined {
  const call = answer.choices[0]?.message.tool_calls?.[0];
  return call?.type === 'function' ? call.function : undefined;
}

describe('tool calls', () => {
  it('answer a message that asks for a tool, with arguments that fit the schema', async () => {
    const answer = await ask('Use a tool, please');
    expect(answer.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: expect.stringMatching(/^call_/), type: 'function', function: { name: 'look_up' } },
        ],
      },
    });
    expect(JSON.parse(callOf(answer)?.arguments ?? '')).toEqual({
      city: expect.any(String),
      days: expect.any(Number),
      unit: 'metric',
      tags: [expect.any(String)],
      strict: true,
    });
    expect(answer.usage?.completion_tokens).toBeGreaterThan(1);
  });

  it('stream as deltas: the name first, then the arguments piece by piece, one token each', async () => {
    const whole = await ask('Use a tool, please');
    const before = engine.served().completion_tokens;
    const chunks: OpenAI.ChatCompletionChunk[] = [];
    const stream = await openai.chat.completions.create({
      model: 'sandbox-chat',
      messages: [{ role: 'user', content: 'Use a tool, please' }],
      tools: TOOLS,
      stream: true,
      stream_options: { include_usage: true },
    });
    for await (const chunk of stream) chunks.push(chunk);
    const deltas = chunks.flatMap(({ choices }) => choices.flatMap(({ delta }) => delta.tool_calls ?? []));
    expect(deltas[0]).toEqual({
      index: 0,
      id: expect.stringMatching(/^call_/),
      type: 'function',
      function: { name: 'look_up', arguments: '' },
    });
    expect(
      deltas.slice(1).every(({ id, function: call }) => id === undefined && call?.name === undefined),
    ).toBe(true);
    expect(deltas.map(({ function: call }) => call?.arguments ?? '').join('')).toBe(callOf(whole)?.arguments);
    expect(chunks[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: null, refusal: null });
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('tool_calls');
    expect(chunks.at(-1)?.usage?.completion_tokens).toBe(deltas.length);
    expect(engine.served().completion_tokens - before).toBe(deltas.length);
    expect(whole.usage?.completion_tokens).toBe(deltas.length);
  });

  it('are cut by the token limit', async () => {
    const answer = await ask('Use a tool, please', { max_tokens: 3 });
    expect(answer.choices[0]?.finish_reason).toBe('length');
    expect(answer.usage?.completion_tokens).toBe(3);
    expect(() => JSON.parse(callOf(answer)?.arguments ?? '')).toThrow();
  });

  it('happen when the choice demands them and never when it forbids them', async () => {
    expect(callOf(await ask('Hello'))).toBeUndefined();
    expect(callOf(await ask('Hello', { tool_choice: 'required' }))?.name).toBe('look_up');
    const named = { type: 'function' as const, function: { name: 'ping' } };
    expect(callOf(await ask('Hello', { tool_choice: named }))).toEqual({ name: 'ping', arguments: '{}' });
    expect(callOf(await ask('Use a tool', { tool_choice: 'none' }))).toBeUndefined();
    expect(callOf(await ask('Use a tool', { tools: undefined }))).toBeUndefined();
  });

  it("lead to a text answer once the tool's result is there", async () => {
    const first = await ask('Use a tool, please');
    const message = first.choices[0]?.message;
    const call = message?.tool_calls?.[0];
    if (message === undefined || call === undefined) throw new Error('no tool was called');
    const answer = await openai.chat.completions.create({
      model: 'sandbox-chat',
      tools: TOOLS,
      messages: [
        { role: 'user', content: 'Use a tool, please' },
        message,
        { role: 'tool', tool_call_id: call.id, content: 'the tool says 3' },
      ],
    });
    expect(answer.choices[0]?.finish_reason).toBe('stop');
    // The messages have 4, 0 and 4 words; each of the 3 messages adds 4 tokens.
    expect(answer.usage?.prompt_tokens).toBe(20);
  });
});
