import { type TokenUsage, type UsageOutcome } from '@inference/metering';
import { type ProxyRequest } from '../request/proxy-request';
import { type Produced, tokensOf } from './produced';
import { promptTokens } from './prompt-tokens';

/** The part of an admission that limits what can be billed. */
interface Admitted {
  request: ProxyRequest;
  bounds: TokenUsage;
}

/**
 * Returns the upstream's reported usage, or the gateway's own count (`estimated`) where the upstream reported none or where
 * the answer broke off after a report that does not cover everything.
 */
export function meteredUsage(
  admitted: Admitted,
  outcome: UsageOutcome,
  reported: TokenUsage | null,
  produced: () => Produced,
): { usage: TokenUsage; estimated: boolean } {
  if (reported && outcome === 'completed') return { usage: reported, estimated: false };
  const { bounds, request } = admitted;
  const outputTokens = Math.min(tokensOf(produced()), bounds.outputTokens);
  // Before the end of an answer, no tokens are a placeholder.
  const inputTokens = reported?.inputTokens || Math.min(promptTokens(request), bounds.inputTokens);
  if (reported && reported.inputTokens === inputTokens && reported.outputTokens >= outputTokens)
    return { usage: reported, estimated: false };
  return {
    usage: { inputTokens, outputTokens: Math.max(outputTokens, reported?.outputTokens ?? 0) },
    estimated: true,
  };
}

/** Limits each figure of a usage to the bounds of the admission. */
export function within(usage: TokenUsage, bounds: TokenUsage): TokenUsage {
  return {
    inputTokens: Math.min(usage.inputTokens, bounds.inputTokens),
    outputTokens: Math.min(usage.outputTokens, bounds.outputTokens),
  };
}

export const isSameUsage = (a: TokenUsage, b: TokenUsage) =>
  a.inputTokens === b.inputTokens && a.outputTokens === b.outputTokens;
