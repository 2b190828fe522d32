import fc from 'fast-check';
import { inputTokensOf, METERS, outputTokensOf } from '@inference/metering';
import { laterUsage, readReportedUsage, type ReportedUsage } from './reported-usage';

const NOTHING = { others: {}, serviceTier: null, fault: null };
const answer = (usage: unknown, more: object = {}) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage,
  ...more,
});
const chunk = (usage: unknown, more: object = {}) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  choices: [],
  usage,
  ...more,
});

/** Answers as servers and providers give them, shortened to what stands around the usage. */
const SHAPES: [name: string, answer: object, read: Partial<ReportedUsage>][] = [
  [
    'OpenAI',
    answer(
      {
        prompt_tokens: 2006,
        completion_tokens: 300,
        total_tokens: 2306,
        prompt_tokens_details: { cached_tokens: 1920, audio_tokens: 0 },
        completion_tokens_details: {
          reasoning_tokens: 128,
          audio_tokens: 0,
          accepted_prediction_tokens: 0,
          rejected_prediction_tokens: 0,
        },
      },
      { service_tier: 'default', system_fingerprint: 'fp_1' },
    ),
    { input: { input: 86, cached_input: 1920 }, output: { output: 172, reasoning: 128 } },
  ],
  [
    'OpenAI, flex, a stream',
    chunk(
      {
        prompt_tokens: 19,
        completion_tokens: 10,
        total_tokens: 29,
        prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
      },
      { service_tier: 'flex' },
    ),
    { input: { input: 19 }, output: { output: 10 }, serviceTier: 'flex' },
  ],
  [
    'OpenAI, audio',
    answer({
      prompt_tokens: 126,
      completion_tokens: 85,
      total_tokens: 211,
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 110, text_tokens: 16, image_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 65, text_tokens: 20 },
    }),
    { input: { input: 16, input_audio: 110 }, output: { output: 20, output_audio: 65 } },
  ],
  [
    'OpenAI, audio that was read from the cache',
    answer({
      prompt_tokens: 120,
      completion_tokens: 1,
      total_tokens: 121,
      prompt_tokens_details: { cached_tokens: 100, audio_tokens: 90 },
    }),
    { input: { cached_input: 100, input_audio: 20 }, output: { output: 1 } },
  ],
  [
    'vLLM without details',
    answer({ prompt_tokens: 13, total_tokens: 30, completion_tokens: 17, prompt_tokens_details: null }),
    { input: { input: 13 }, output: { output: 17 } },
  ],
  [
    'vLLM with details',
    answer({
      prompt_tokens: 1040,
      total_tokens: 1057,
      completion_tokens: 17,
      prompt_tokens_details: { cached_tokens: 1024 },
    }),
    { input: { input: 16, cached_input: 1024 }, output: { output: 17 } },
  ],
  [
    'vLLM, embeddings',
    { object: 'list', data: [], usage: { prompt_tokens: 9, total_tokens: 9, completion_tokens: 0 } },
    { input: { input: 9 }, output: {} },
  ],
  [
    'SGLang',
    answer({
      prompt_tokens: 33,
      total_tokens: 133,
      completion_tokens: 100,
      prompt_tokens_details: { cached_tokens: 32 },
      reasoning_tokens: 60,
    }),
    { input: { input: 1, cached_input: 32 }, output: { output: 40, reasoning: 60 } },
  ],
  [
    'llama.cpp',
    answer(
      { completion_tokens: 12, prompt_tokens: 50, total_tokens: 62 },
      { timings: { cache_n: 48, prompt_n: 2, prompt_ms: 30.9, predicted_n: 12, predicted_ms: 661.1 } },
    ),
    { input: { input: 2, cached_input: 48 }, output: { output: 12 } },
  ],
  [
    'llama.cpp with details',
    chunk({
      completion_tokens: 12,
      prompt_tokens: 50,
      total_tokens: 62,
      prompt_tokens_details: { cached_tokens: 48 },
    }),
    { input: { input: 2, cached_input: 48 }, output: { output: 12 } },
  ],
  [
    'Ollama',
    chunk({ prompt_tokens: 26, completion_tokens: 298, total_tokens: 324 }),
    { input: { input: 26 }, output: { output: 298 } },
  ],
  [
    'Ollama, embeddings',
    { object: 'list', data: [], usage: { prompt_tokens: 8, total_tokens: 8 } },
    { input: { input: 8 }, output: null },
  ],
  [
    'DeepSeek',
    answer({
      prompt_tokens: 70,
      completion_tokens: 92,
      total_tokens: 162,
      prompt_tokens_details: { cached_tokens: 64 },
      completion_tokens_details: { reasoning_tokens: 81 },
      prompt_cache_hit_tokens: 64,
      prompt_cache_miss_tokens: 6,
    }),
    { input: { input: 6, cached_input: 64 }, output: { output: 11, reasoning: 81 } },
  ],
  [
    'DeepSeek without details',
    chunk({
      prompt_tokens: 70,
      completion_tokens: 5,
      total_tokens: 75,
      prompt_cache_hit_tokens: 64,
      prompt_cache_miss_tokens: 6,
    }),
    { input: { input: 6, cached_input: 64 }, output: { output: 5 } },
  ],
  [
    'Anthropic',
    {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: 'Hi' }],
      usage: {
        input_tokens: 4,
        cache_creation_input_tokens: 556,
        cache_read_input_tokens: 2000,
        cache_creation: { ephemeral_5m_input_tokens: 456, ephemeral_1h_input_tokens: 100 },
        output_tokens: 503,
        server_tool_use: { web_search_requests: 2 },
        service_tier: 'standard',
      },
    },
    {
      input: { input: 4, cached_input: 2000, cache_write: 456, cache_write_1h: 100 },
      output: { output: 503 },
      others: { search: 2 },
    },
  ],
  [
    'Anthropic without the kinds of cache, priority',
    {
      type: 'message',
      content: [],
      usage: {
        input_tokens: 21,
        cache_creation_input_tokens: 188086,
        cache_read_input_tokens: 0,
        output_tokens: 393,
        service_tier: 'priority',
      },
    },
    { input: { input: 21, cache_write: 188086 }, output: { output: 393 }, serviceTier: 'priority' },
  ],
  [
    'Anthropic in OpenAI’s mode',
    answer({
      prompt_tokens: 19,
      completion_tokens: 10,
      total_tokens: 29,
      prompt_tokens_details: null,
      completion_tokens_details: null,
    }),
    { input: { input: 19 }, output: { output: 10 } },
  ],
  [
    'LiteLLM before Anthropic',
    answer({
      prompt_tokens: 2560,
      completion_tokens: 503,
      total_tokens: 3063,
      prompt_tokens_details: { cached_tokens: 2000, cache_creation_tokens: 556 },
      cache_creation_input_tokens: 556,
      cache_read_input_tokens: 2000,
    }),
    { input: { input: 4, cached_input: 2000, cache_write: 556 }, output: { output: 503 } },
  ],
  [
    'a proxy whose prompt leaves out the cache',
    answer({
      prompt_tokens: 4,
      completion_tokens: 10,
      total_tokens: 2014,
      prompt_tokens_details: { cached_tokens: 2000 },
    }),
    { input: { input: 4, cached_input: 2000 }, output: { output: 10 } },
  ],
  [
    'Gemini in OpenAI’s mode, which leaves its thoughts out of the completion',
    chunk({ completion_tokens: 10, prompt_tokens: 7, total_tokens: 842 }),
    { input: { input: 7 }, output: { output: 10, reasoning: 825 }, fault: 'total_above_parts' },
  ],
  [
    'xAI, which leaves reasoning out of the completion',
    answer({
      prompt_tokens: 32,
      completion_tokens: 9,
      total_tokens: 135,
      prompt_tokens_details: { text_tokens: 32, audio_tokens: 0, image_tokens: 0, cached_tokens: 6 },
      completion_tokens_details: { reasoning_tokens: 94, audio_tokens: 0 },
      num_sources_used: 0,
    }),
    { input: { input: 26, cached_input: 6 }, output: { output: 9, reasoning: 94 } },
  ],
  [
    'Groq',
    answer(
      {
        queue_time: 0.0182,
        prompt_tokens: 45,
        prompt_time: 0.0019,
        completion_tokens: 64,
        completion_time: 0.21,
        total_tokens: 109,
        total_time: 0.2119,
        completion_tokens_details: { reasoning_tokens: 20 },
      },
      { x_groq: { id: 'req_1' }, service_tier: 'on_demand' },
    ),
    { input: { input: 45 }, output: { output: 44, reasoning: 20 } },
  ],
  [
    'Groq, a stream',
    {
      choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
      x_groq: {
        id: 'req_1',
        usage: { prompt_tokens: 45, prompt_time: 0.0019, completion_tokens: 64, total_tokens: 109 },
      },
    },
    { input: { input: 45 }, output: { output: 64 } },
  ],
  [
    'Moonshot, a stream',
    {
      choices: [
        {
          index: 0,
          delta: {},
          finish_reason: 'stop',
          usage: { prompt_tokens: 19, completion_tokens: 13, total_tokens: 32, cached_tokens: 10 },
        },
      ],
    },
    { input: { input: 9, cached_input: 10 }, output: { output: 13 } },
  ],
  [
    'Mistral',
    answer({ prompt_tokens: 16, total_tokens: 50, completion_tokens: 34, num_cached_tokens: 8 }),
    { input: { input: 8, cached_input: 8 }, output: { output: 34 } },
  ],
  [
    'Mistral, audio',
    answer({
      prompt_tokens: 4,
      total_tokens: 3264,
      completion_tokens: 635,
      prompt_audio_seconds: 203,
    }),
    { input: { input: 4, input_audio: 2625 }, output: { output: 635 }, others: { audio_second: 203 } },
  ],
  [
    'Mistral without audio',
    answer({ prompt_tokens: 4, total_tokens: 6, completion_tokens: 2, prompt_audio_seconds: {} }),
    { input: { input: 4 }, output: { output: 2 } },
  ],
  [
    'OpenRouter',
    chunk({
      prompt_tokens: 194,
      completion_tokens: 2,
      total_tokens: 196,
      cost: 0.95,
      is_byok: false,
      cost_details: { upstream_inference_cost: null },
      prompt_tokens_details: { cached_tokens: 100, cache_write_tokens: 50, audio_tokens: 0, video_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0, image_tokens: 0 },
    }),
    { input: { input: 44, cached_input: 100, cache_write: 50 }, output: { output: 2 } },
  ],
  [
    'Perplexity',
    answer({ prompt_tokens: 5, completion_tokens: 10, total_tokens: 15, num_search_queries: 3 }),
    { input: { input: 5 }, output: { output: 10 }, others: { search: 3 } },
  ],
  [
    'Responses',
    {
      object: 'response',
      output: [],
      service_tier: 'priority',
      usage: {
        input_tokens: 75,
        input_tokens_details: { cached_tokens: 64 },
        output_tokens: 1186,
        output_tokens_details: { reasoning_tokens: 1024 },
        total_tokens: 1261,
      },
    },
    {
      input: { input: 11, cached_input: 64 },
      output: { output: 162, reasoning: 1024 },
      serviceTier: 'priority',
    },
  ],
  [
    'OpenAI, pictures',
    {
      created: 1,
      data: [{ b64_json: '' }],
      usage: {
        total_tokens: 100,
        input_tokens: 50,
        output_tokens: 50,
        input_tokens_details: { text_tokens: 10, image_tokens: 40 },
      },
    },
    { input: { input: 50 }, output: { output: 50 } },
  ],
  [
    'OpenAI, a transcription by tokens',
    {
      text: 'Hi',
      usage: {
        type: 'tokens',
        input_tokens: 14,
        input_token_details: { text_tokens: 0, audio_tokens: 14 },
        output_tokens: 45,
        total_tokens: 59,
      },
    },
    { input: { input_audio: 14 }, output: { output: 45 } },
  ],
  [
    'OpenAI, a transcription by its length',
    { text: 'Hi', usage: { type: 'duration', seconds: 8.4 } },
    { input: null, output: null, others: { audio_second: 9 } },
  ],
];

describe('the usage of an answer', () => {
  it.each(SHAPES)('is read as %s writes it', (_name, of, read) => {
    expect(readReportedUsage(of)).toEqual({ ...NOTHING, ...read });
  });

  it.each([
    ['none', {}, null],
    ['null', { usage: null }, null],
    ['a text', { usage: 'many' }, null],
    ['no figures', { usage: {} }, null],
    ['a list', { usage: [] }, null],
    [
      'no completion tokens',
      { usage: { prompt_tokens: 7, total_tokens: 7 } },
      { input: { input: 7 }, output: null },
    ],
    [
      'no completion tokens but a total',
      { usage: { prompt_tokens: 7, total_tokens: 9 } },
      { input: { input: 7 }, output: { output: 2 } },
    ],
    [
      'no prompt tokens but a total',
      { usage: { completion_tokens: 7, total_tokens: 9 } },
      { input: { input: 2 }, output: { output: 7 } },
    ],
    [
      'a total below its parts',
      { usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 9 } },
      { input: { input: 7 }, output: { output: 3 }, fault: 'total_below_parts' },
    ],
    [
      'more cached than prompt tokens',
      { usage: { prompt_tokens: 7, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 9 } } },
      { input: { cached_input: 9 }, output: { output: 3 }, fault: 'parts_above_whole' },
    ],
    [
      'more reasoning than completion tokens',
      {
        usage: { prompt_tokens: 7, completion_tokens: 3, completion_tokens_details: { reasoning_tokens: 9 } },
      },
      { input: { input: 7 }, output: { reasoning: 9 }, fault: 'parts_above_whole' },
    ],
    [
      'hits and misses above the prompt',
      {
        usage: {
          prompt_tokens: 7,
          completion_tokens: 3,
          prompt_cache_hit_tokens: 4,
          prompt_cache_miss_tokens: 6,
        },
      },
      { input: { input: 6, cached_input: 4 }, output: { output: 3 }, fault: 'parts_above_whole' },
    ],
    ...[-1, 1.5, '7', 1e30, Infinity, NaN, true, [], {}].map(
      (hostile): [string, object, Partial<ReportedUsage>] => [
        `${JSON.stringify(hostile)} as a count`,
        {
          usage: {
            prompt_tokens: hostile,
            completion_tokens: 3,
            prompt_tokens_details: { cached_tokens: hostile },
          },
        },
        { input: null, output: { output: 3 }, fault: 'invalid_count' },
      ],
    ),
  ])('with %s is not believed beyond what counts', (_name, of, read) => {
    expect(readReportedUsage(of)).toEqual(read && { ...NOTHING, ...read });
  });

  const number = fc.oneof(
    fc.nat({ max: 2_000 }),
    fc.constantFrom(undefined, null, -1, 0.5, 1e30, 1e12, Number.MAX_SAFE_INTEGER, '12', {}, [], true),
  );
  const usage = fc.record({
    prompt_tokens: number,
    completion_tokens: number,
    total_tokens: number,
    input_tokens: number,
    output_tokens: number,
    reasoning_tokens: number,
    prompt_cache_hit_tokens: number,
    prompt_cache_miss_tokens: number,
    cache_read_input_tokens: number,
    cache_creation_input_tokens: number,
    prompt_audio_seconds: number,
    cache_creation: fc.option(
      fc.record({ ephemeral_5m_input_tokens: number, ephemeral_1h_input_tokens: number }),
      { nil: undefined },
    ),
    prompt_tokens_details: fc.option(fc.record({ cached_tokens: number, audio_tokens: number }), {
      nil: null,
    }),
    completion_tokens_details: fc.option(fc.record({ reasoning_tokens: number, audio_tokens: number }), {
      nil: null,
    }),
  });
  const isCount = (value: unknown): value is number =>
    Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 1e12;

  it('becomes whole counts from 0 that leave out nothing', () => {
    fc.assert(
      fc.property(usage, (reported) => {
        const read = readReportedUsage({ usage: reported });
        if (!read) return;
        const counts = { ...read.input, ...read.output, ...read.others };
        for (const meter of METERS)
          expect(Number.isSafeInteger(counts[meter] ?? 0) && (counts[meter] ?? 0) >= 0).toBe(true);
        const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = reported;
        if (isCount(prompt)) expect(inputTokensOf(counts)).toBeGreaterThanOrEqual(prompt);
        if (isCount(completion)) expect(outputTokensOf(counts)).toBeGreaterThanOrEqual(completion);
        if (isCount(total) && read.input && read.output)
          expect(inputTokensOf(counts) + outputTokensOf(counts)).toBeGreaterThanOrEqual(total);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is the larger of completion and total − prompt, disjoint in its parts', () => {
    const count = fc.nat({ max: 10_000 });
    const shape = fc.record({
      prompt: count,
      completion: count,
      excess: count,
      cached: fc.double({ min: 0, max: 1, noNaN: true }),
      reasoning: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(shape, ({ prompt, completion, excess, cached, reasoning }) => {
        const cachedTokens = Math.floor(prompt * cached);
        fc.pre(excess === 0 || excess !== cachedTokens);
        const read = readReportedUsage({
          usage: {
            prompt_tokens: prompt,
            completion_tokens: completion,
            total_tokens: prompt + completion + excess,
            prompt_tokens_details: { cached_tokens: cachedTokens },
            completion_tokens_details: { reasoning_tokens: Math.floor((completion + excess) * reasoning) },
          },
        })!;
        expect(inputTokensOf(read.input!)).toBe(prompt);
        expect(outputTokensOf(read.output!)).toBe(completion + excess);
        expect(read.input!.cached_input ?? 0).toBe(cachedTokens);
      }),
    );
  });
});

describe('two reports of one answer', () => {
  const read = (usage: object) => readReportedUsage({ usage })!;
  const later = (former: object, latter: object) => laterUsage(read(former), read(latter));

  it('count as the later one says', () => {
    const former = { prompt_tokens: 7, completion_tokens: 1 };
    expect(later(former, { prompt_tokens: 7, completion_tokens: 5 })).toMatchObject({
      input: { input: 7 },
      output: { output: 5 },
    });
  });

  it('add up to what each leaves out', () => {
    const start = { input_tokens: 4, cache_read_input_tokens: 9, output_tokens: 1, service_tier: 'batch' };
    expect(later(start, { output_tokens: 20 })).toEqual({
      ...NOTHING,
      input: { input: 4, cached_input: 9 },
      output: { output: 20 },
      serviceTier: 'batch',
    });
  });
});
