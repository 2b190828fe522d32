import { type Endpoint } from '../../upstreams/endpoint';
import { InvalidValueError } from './request.errors';

/** Most answers that one request may ask for (`n`, `best_of`); OpenAI's own limit. */
export const MAX_CHOICES = 128;

/** Reads a positive integer field; undefined if it is absent or null. Throws InvalidValueError for any other value. */
export function optionalCount(
  body: Record<string, unknown>,
  field: string,
  max = Number.MAX_SAFE_INTEGER,
): number | undefined {
  const value = body[field] ?? undefined;
  if (value === undefined) return undefined;
  if (!Number.isSafeInteger(value) || (value as number) < 1 || (value as number) > max) {
    throw new InvalidValueError(
      field,
      `must be a whole number from 1${max === Number.MAX_SAFE_INTEGER ? '' : ` to ${max}`}`,
    );
  }
  return value as number;
}

/** The number of prompts: /v1/completions answers each text of a list. */
export function promptCount(endpoint: Endpoint, body: Record<string, unknown>): number {
  const { prompt } = body;
  if (endpoint !== 'completions' || !Array.isArray(prompt)) return 1;
  return Math.max(1, typeof prompt[0] === 'number' ? 1 : prompt.length);
}
