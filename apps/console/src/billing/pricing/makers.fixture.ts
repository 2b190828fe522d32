import { type MeterCounts } from '@inference/metering';

/** A row of `PUT /api/admin/billing/pricing/models`, without the slug. */
type PriceRow = [unit: string, price: number, conditions?: object];

interface Call {
  counts: MeterCounts;
  serviceTier?: string;
  /** When it began; noon of UTC by default. */
  at?: string;
  /** In USD, calculated by hand from the maker's price page. */
  cost: string;
}

/** The price table of a real model, in USD as its maker published it in 2025, and calls with their cost. */
export interface MakersModel {
  slug: string;
  prices: PriceRow[];
  calls: Call[];
}

const INPUT = 'per_million_input_tokens';
const CACHED = 'per_million_cached_input_tokens';
const WRITE = 'per_million_cache_write_tokens';
const WRITE_1H = 'per_million_cache_write_1h_tokens';
const OUTPUT = 'per_million_output_tokens';

/** The prices of several units under the same conditions. */
const all = (conditions: object, prices: Record<string, number>): PriceRow[] =>
  Object.entries(prices).map(([unit, price]) => [unit, price, conditions]);

const PRIORITY = { service_tier: 'priority' };
const FLEX = { service_tier: 'flex' };
const BATCH = { service_tier: 'batch' };
/** "Above 200K tokens". */
const LONG = { min_input_tokens: 200_001 };
/** Noon and the off-peak time of DeepSeek, which is given in UTC. */
const OFF_PEAK = { hours: '16:30-00:30' };

const OPENAI_CALL: MeterCounts = {
  input: 1_000,
  cached_input: 3_000,
  output: 200,
  reasoning: 500,
  search: 2,
};
const ANTHROPIC_CALL: MeterCounts = {
  input: 100,
  cached_input: 10_000,
  cache_write: 2_000,
  cache_write_1h: 500,
  output: 300,
};
const LONG_CALL: MeterCounts = { input: 1, cached_input: 200_000, output: 10 };
const DEEPSEEK_CALL: MeterCounts = { input: 2_000, cached_input: 10_000, output: 500 };

export const MAKERS_MODELS: MakersModel[] = [
  {
    slug: 'openai/gpt-5',
    prices: [
      ...all({}, { [INPUT]: 1.25, [CACHED]: 0.125, [OUTPUT]: 10, per_search: 0.01 }),
      ...all(PRIORITY, { [INPUT]: 2.5, [CACHED]: 0.25, [OUTPUT]: 20 }),
      ...all(FLEX, { [INPUT]: 0.625, [CACHED]: 0.0625, [OUTPUT]: 5 }),
      ...all(BATCH, { [INPUT]: 0.625, [CACHED]: 0.0625, [OUTPUT]: 5 }),
    ],
    calls: [
      // 0.00125 + 0.000375 + 0.002 + 0.005 + 0.02
      { counts: OPENAI_CALL, cost: '0.028625' },
      { counts: OPENAI_CALL, serviceTier: 'default', cost: '0.028625' },
      // 0.0025 + 0.00075 + 0.004 + 0.01 + 0.02
      { counts: OPENAI_CALL, serviceTier: 'priority', cost: '0.03725' },
      // 0.000625 + 0.0001875 + 0.001 + 0.0025 + 0.02
      { counts: OPENAI_CALL, serviceTier: 'flex', cost: '0.0243125' },
    ],
  },
  {
    slug: 'anthropic/claude-sonnet-4.5',
    prices: [
      ...all({}, { [INPUT]: 3, [CACHED]: 0.3, [WRITE]: 3.75, [WRITE_1H]: 6, [OUTPUT]: 15 }),
      ...all(LONG, { [INPUT]: 6, [CACHED]: 0.6, [WRITE]: 7.5, [WRITE_1H]: 12, [OUTPUT]: 22.5 }),
      ...all(BATCH, { [INPUT]: 1.5, [CACHED]: 0.15, [WRITE]: 1.875, [WRITE_1H]: 3, [OUTPUT]: 7.5 }),
      ...all(
        { ...LONG, ...BATCH },
        { [INPUT]: 3, [CACHED]: 0.3, [WRITE]: 3.75, [WRITE_1H]: 6, [OUTPUT]: 11.25 },
      ),
    ],
    calls: [
      // 0.0003 + 0.003 + 0.0075 + 0.003 + 0.0045
      { counts: ANTHROPIC_CALL, cost: '0.0183' },
      { counts: ANTHROPIC_CALL, serviceTier: 'batch', cost: '0.00915' },
      // 0.000006 + 0.12 + 0.000225
      { counts: LONG_CALL, cost: '0.120231' },
      { counts: LONG_CALL, serviceTier: 'batch', cost: '0.0601155' },
    ],
  },
  {
    slug: 'google/gemini-2.5-pro',
    prices: [
      ...all({}, { [INPUT]: 1.25, [CACHED]: 0.125, [OUTPUT]: 10 }),
      ...all(LONG, { [INPUT]: 2.5, [CACHED]: 0.25, [OUTPUT]: 15 }),
    ],
    calls: [
      // 0.25 + 0.01
      { counts: { input: 200_000, output: 600, reasoning: 400 }, cost: '0.26' },
      // 0.625 + 0.015
      { counts: { input: 250_000, output: 600, reasoning: 400 }, cost: '0.64' },
    ],
  },
  {
    slug: 'google/gemini-2.5-flash',
    prices: all({}, { [INPUT]: 0.3, per_million_audio_input_tokens: 1, [CACHED]: 0.03, [OUTPUT]: 2.5 }),
    // 0.00003 + 0.0015 + 0.00003 + 0.000125
    calls: [
      { counts: { input: 100, input_audio: 1_500, cached_input: 1_000, output: 50 }, cost: '0.001685' },
    ],
  },
  {
    slug: 'deepseek/deepseek-chat',
    prices: [
      ...all({}, { [INPUT]: 0.27, [CACHED]: 0.07, [OUTPUT]: 1.1 }),
      ...all(OFF_PEAK, { [INPUT]: 0.135, [CACHED]: 0.035, [OUTPUT]: 0.55 }),
    ],
    calls: [
      // 0.00054 + 0.0007 + 0.00055
      { counts: DEEPSEEK_CALL, cost: '0.00179' },
      { counts: DEEPSEEK_CALL, at: '16:29:59.999', cost: '0.00179' },
      { counts: DEEPSEEK_CALL, at: '16:30:00.000', cost: '0.000895' },
      { counts: DEEPSEEK_CALL, at: '00:29:59.999', cost: '0.000895' },
      { counts: DEEPSEEK_CALL, at: '00:30:00.000', cost: '0.00179' },
    ],
  },
  {
    slug: 'deepgram/nova-3',
    prices: [['per_audio_minute', 0.0043]],
    calls: [
      { counts: { audio_second: 90 }, cost: '0.00645' },
      // 0.0043 × 61 / 60 = 0.00437166666…, rounded up
      { counts: { audio_second: 61 }, cost: '0.004371666667' },
    ],
  },
  {
    slug: 'black-forest-labs/flux-1.1-pro',
    prices: [['per_image', 0.04]],
    calls: [{ counts: { image: 3 }, cost: '0.12' }],
  },
];
