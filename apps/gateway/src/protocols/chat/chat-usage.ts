type Fields = Record<string, unknown>;

/** The usage of an answer in tokens. */
export interface AnswerUsage {
  /** With what was read from the cache and written to it. */
  input: number;
  cached: number;
  cacheWritten: number;
  /** With the thoughts. */
  output: number;
  reasoning: number;
  /** What the gateway adds to the usage object: `cost` and `cost_details`. */
  cost: Fields;
}

const fieldsOf = (value: unknown): Fields =>
  value !== null && typeof value === 'object' ? (value as Fields) : {};
const countOf = (...values: unknown[]): number => {
  const count = values.find((value) => Number.isSafeInteger(value) && (value as number) >= 0);
  return (count as number | undefined) ?? 0;
};

/** Reads the usage object of a chat server. */
export function readAnswerUsage(usage: Fields): AnswerUsage {
  const { prompt_tokens_details: promptDetails, completion_tokens_details: completionDetails } = usage;
  const prompt = fieldsOf(promptDetails);
  const input = countOf(usage.prompt_tokens);
  const cached = Math.min(input, countOf(prompt.cached_tokens, usage.prompt_cache_hit_tokens));
  return {
    input,
    cached,
    cacheWritten: Math.min(input - cached, countOf(prompt.cache_write_tokens, prompt.cache_creation_tokens)),
    output: countOf(usage.completion_tokens),
    reasoning: countOf(fieldsOf(completionDetails).reasoning_tokens, usage.reasoning_tokens),
    cost: Object.fromEntries(
      ['cost', 'cost_details'].filter((name) => usage[name] !== undefined).map((name) => [name, usage[name]]),
    ),
  };
}
