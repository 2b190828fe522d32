import { type TokenUsage, type UsageOutcome } from '@inference/metering';
import { estimateTokens } from '@inference/tokens';
import { type ProxyRequest } from '../request/proxy-request';
import { promptText } from './message-text';

/** The part of an admission that limits what can be billed. */
interface Admitted {
  request: ProxyRequest;
  bounds: TokenUsage;
}

/**
 * Returns the upstream's reported usage, or the gateway's own count (`estimated`) where the upstream reported none or where
 * it broke off after a report that does not cover everything it produced.
 */
export function meteredUsage(
  admitted: Admitted,
  outcome: UsageOutcome,
  reported: TokenUsage | null,
  producedText: () => string,
): { usage: TokenUsage; estimated: boolean } {
  if (reported && outcome === 'completed') return { usage: reported, estimated: false };
  const counted = estimate(admitted, producedText());
  if (!reported) return { usage: counted, estimated: true };
  if (reported.outputTokens >= counted.outputTokens) return { usage: reported, estimated: false };
  return { usage: { ...reported, outputTokens: counted.outputTokens }, estimated: true };
}

/** Counts the tokens of prompt and answer, limited to the bounds of the admission. */
function estimate({ request, bounds }: Admitted, producedText: string): TokenUsage {
  const inputTokens = estimateTokens(promptText(request));
  return within({ inputTokens, outputTokens: estimateTokens(producedText) }, bounds);
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
