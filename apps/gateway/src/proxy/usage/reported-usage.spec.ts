import fc from 'fast-check';
import { inputTokensOf, METERS, outputTokensOf } from '@inference/metering';
import { eventOf } from '@inference/sse';
import { StreamMeter } from '../streaming/stream-meter';
import { laterUsage, readReportedUsage, type ReportedUsage } from './reported-usage';
import { SHAPES } from './usage-shapes.fixture';

const NOTHING = { others: {}, serviceTier: null, fault: null };
describe('the usage of an answer', () => {
  it.each(SHAPES)('is read as %s writes it, in a plain answer and in a stream', (_name, of, read) => {
    expect(readReportedUsage(of)).toEqual({ ...NOTHING, ...read });
    const meter = new StreamMeter(true, 1);
    meter.read(eventOf(`data: ${JSON.stringify(of)}\n\n`));
    expect(meter.usage).toEqual({ ...NOTHING, ...read });
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
