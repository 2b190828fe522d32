import { type TokenUsage } from '@inference/metering';

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/**
 * Reads the upstream's `usage` object (OpenAI's shape). Returns null if it is missing or invalid. A reported zero is kept.
 * Embeddings report no completion tokens.
 */
export function readReportedUsage(usage: unknown): TokenUsage | null {
  if (usage === null || typeof usage !== 'object') return null;
  const { prompt_tokens: inputTokens, completion_tokens: outputTokens = 0 } = usage as Record<
    string,
    unknown
  >;
  return isCount(inputTokens) && isCount(outputTokens) ? { inputTokens, outputTokens } : null;
}
