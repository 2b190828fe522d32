import { ROOT_CONTEXT, SpanKind, trace, TraceFlags } from '@opentelemetry/api';
import { SamplingDecision } from '@opentelemetry/sdk-trace';
import { type SamplerName, samplerOf } from './process-tracer';

/** A ratio of 0.5 takes the first one only. */
const LOW = `${'0'.repeat(31)}1`;
const HIGH = `${'f'.repeat(8)}${'0'.repeat(24)}`;

function takes(name: SamplerName | undefined, ratio?: number, parent?: TraceFlags) {
  const sampler = samplerOf(name, ratio);
  return [LOW, HIGH].map((traceId) => {
    const spanContext = {
      traceId,
      spanId: '1'.repeat(16),
      traceFlags: parent ?? TraceFlags.NONE,
      isRemote: true,
    };
    const context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, spanContext);
    const { decision } = sampler.shouldSample(context, traceId, 'GET', SpanKind.SERVER, {}, []);
    return decision === SamplingDecision.RECORD_AND_SAMPLED;
  });
}

const { NONE, SAMPLED } = TraceFlags;
const ALL = [true, true];
const NO = [false, false];
const LOW_ONLY = [true, false];

it.each<[SamplerName | undefined, boolean[], boolean[], boolean[]]>([
  [undefined, ALL, ALL, NO],
  ['parentbased_always_on', ALL, ALL, NO],
  ['parentbased_always_off', NO, ALL, NO],
  ['parentbased_traceidratio', LOW_ONLY, ALL, NO],
  ['always_on', ALL, ALL, ALL],
  ['always_off', NO, NO, NO],
  ['traceidratio', LOW_ONLY, LOW_ONLY, LOW_ONLY],
])('%s decides for new traces, and follows the caller or not', (name, root, sampled, unsampled) => {
  expect(takes(name, 0.5)).toEqual(root);
  expect(takes(name, 0.5, SAMPLED)).toEqual(sampled);
  expect(takes(name, 0.5, NONE)).toEqual(unsampled);
});

it('takes all traces without a ratio', () => expect(takes('traceidratio')).toEqual(ALL));
