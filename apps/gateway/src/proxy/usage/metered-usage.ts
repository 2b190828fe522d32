import {
  inputTokensOf,
  type Meter,
  type MeterCounts,
  type MeteredUsage,
  METERS,
  outputTokensOf,
  PARENTS,
  type UsageBounds,
  type UsageFault,
} from '@inference/metering';
import { type ProxyRequest } from '../request/proxy-request';
import { type Produced, tokensOf } from './produced';
import { promptTokens } from './prompt-tokens';
import { type ReportedUsage } from './reported-usage';

/** The part of an admission that limits what can be billed. */
interface Admitted {
  request: ProxyRequest;
  bounds: UsageBounds;
}

/** What a call is charged for. */
export interface Metered {
  usage: MeteredUsage;
  /** Whether the gateway counted the prompt or the answer itself. */
  estimated: boolean;
  fault: UsageFault | null;
}

/**
 * Returns the upstream's reported usage. The gateway's own count (`estimated`) stands in for what the upstream did not report, and for what
 * a report does not cover that came before the end of the answer. A reported zero is a zero; beside a text it is a fault.
 * @param isWhole whether the report is that of the whole answer
 * @param isNative whether the upstream got the request as its client has sent it
 */
export function meteredUsage(
  { request, bounds }: Admitted,
  isWhole: boolean,
  reported: ReportedUsage | null,
  produced: () => Produced,
  isNative = false,
): Metered {
  let estimated = false;
  let input = reported?.input ?? null;
  // Before the end of an answer, no tokens are a placeholder.
  if (!input || (!isWhole && inputTokensOf(input) === 0)) {
    input = { input: Math.min(promptTokens(request, isNative), bounds.inputTokens) };
    estimated = true;
  }
  // Embeddings have no answer to count.
  let output = reported?.output ?? (reported && request.endpoint === 'embeddings' ? {} : null);
  let fault = reported?.fault ?? null;
  const isZero = output !== null && isWhole && outputTokensOf(output) === 0;
  if (isZero && request.endpoint !== 'embeddings') {
    if (tokensOf(produced()) > 0) fault ??= 'no_output_tokens';
  } else if (!output || !isWhole) {
    const own = Math.min(tokensOf(produced()), bounds.outputTokens);
    const unreported = own - outputTokensOf(output ?? {});
    if (!output || unreported > 0) {
      output = { ...output, output: (output?.output ?? 0) + unreported };
      estimated = true;
    }
  }
  return {
    usage: {
      counts: { request: 1, ...reported?.others, ...input, ...output },
      serviceTier: reported?.serviceTier ?? null,
    },
    estimated,
    fault,
  };
}

/** What an upstream charges for by its own report. */
export const asReported = ({ input, output, others, serviceTier }: ReportedUsage): MeteredUsage => ({
  counts: { request: 1, ...others, ...input, ...output },
  serviceTier,
});

/** The usage with no more tokens than were admitted, of which the dearest kinds stay, and nothing else that counts beside the request. */
export function within({ counts, serviceTier }: MeteredUsage, bounds: UsageBounds): MeteredUsage {
  const { context } = bounds;
  const input = Math.min(inputTokensOf(counts), bounds.inputTokens);
  const output = context ? Math.max(0, context.tokens - input) * context.answers : Infinity;
  const limited: Partial<Record<Meter, number>> = {
    request: counts.request ?? 0,
    ...first(counts, 'input', input),
    ...first(counts, 'output', Math.min(bounds.outputTokens, output)),
  };
  for (const [meter, most] of Object.entries(bounds.counts ?? {}) as [Meter, number][])
    if (meter !== 'request' && counts[meter]) limited[meter] = Math.min(counts[meter], most);
  return { counts: limited, serviceTier };
}

/** Of a meter and those below it, the counts up to a number of tokens, in the order of the meters. */
function first(counts: MeterCounts, root: Meter, limit: number): MeterCounts {
  const kept: Partial<Record<Meter, number>> = {};
  let left = limit;
  for (const meter of METERS) {
    if (!isBelow(meter, root)) continue;
    kept[meter] = Math.min(counts[meter] ?? 0, left);
    left -= kept[meter];
  }
  return kept;
}

const isBelow = (meter: Meter | undefined, root: Meter): boolean =>
  meter !== undefined && (meter === root || isBelow(PARENTS[meter], root));

export const isSameUsage = (a: MeteredUsage, b: MeteredUsage): boolean =>
  METERS.every((meter) => (a.counts[meter] ?? 0) === (b.counts[meter] ?? 0));
