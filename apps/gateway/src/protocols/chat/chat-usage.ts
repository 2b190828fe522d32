import { inputTokensOf, outputTokensOf } from '@inference/metering';
import { parseExact } from '@inference/money';
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
  /** What the gateway adds to the usage object: `cost` and `cost_details`, whose numbers `stringifyExact` writes. */
  cost: Fields;
}

/** As `costMembers` writes them. */
const COST_MEMBERS = /"cost":[\d.]+,"cost_details":\[[^\]]*\](?=\}|,)/y;
const DETAILS = ',"cost_details":[';

/**
 * Sets the price that the gateway has added to a usage object with all its digits, which are more than a double has.
 * @param text of the answer or the chunk with that usage
 */
export function keepExactCost(usage: Fields, text: string): void {
  const details = text.lastIndexOf(DETAILS);
  if (details === -1) return;
  COST_MEMBERS.lastIndex = text.lastIndexOf('"cost":', details);
  const members = COST_MEMBERS.exec(text)?.[0];
  if (members !== undefined) Object.assign(usage, parseExact(`{${members}}`));
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
