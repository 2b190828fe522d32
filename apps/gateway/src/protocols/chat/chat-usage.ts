import { inputTokensOf, outputTokensOf } from '@inference/metering';
import { readReportedUsage } from '../../proxy/usage/reported-usage';

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

/** Reads the usage object of a chat server as the meter does, so that the client is told the tokens that it pays for. */
export function readAnswerUsage(usage: Fields): AnswerUsage {
  const reported = readReportedUsage({ usage });
  const counts = { ...reported?.input, ...reported?.output };
  return {
    input: inputTokensOf(counts),
    cached: counts.cached_input ?? 0,
    cacheWritten: (counts.cache_write ?? 0) + (counts.cache_write_1h ?? 0),
    output: outputTokensOf(counts),
    reasoning: counts.reasoning ?? 0,
    cost: Object.fromEntries(
      ['cost', 'cost_details'].filter((name) => usage[name] !== undefined).map((name) => [name, usage[name]]),
    ),
  };
}
