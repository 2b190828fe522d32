import { type Fields } from '../task';

/** The object of an answer; null if it is no JSON object, or one that reports an error with a status of success. */
export function answerObject(body: Buffer): Fields | null {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return null;
    return (value as Fields).error ? null : (value as Fields);
  } catch {
    return null;
  }
}

export const fieldsOf = (value: unknown): Fields =>
  value !== null && typeof value === 'object' ? (value as Fields) : {};
