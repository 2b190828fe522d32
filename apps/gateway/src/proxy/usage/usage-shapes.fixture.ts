import { type ReportedUsage } from './reported-usage';

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
export const SHAPES: [name: string, answer: object, read: Partial<ReportedUsage>][] = [
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
