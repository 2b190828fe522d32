import { ApiError } from '../http/errors';
import type { PromptReading } from '../text/prompt';
import { type JsonObject, missing, wrongType } from '../http/validation';

/** One input of a request. */
export interface TextInput {
  readInto(reading: PromptReading): void;
}

const FORMS = 'a string, an array of strings, an array of tokens or an array of arrays of tokens';
const MOST_INPUTS = 2_048;

/** The inputs at `name`: a string, strings, tokens, or lists of tokens. Throws a 400 for other types. */
export function readInputs(body: JsonObject, name: string): TextInput[] {
  const value = body[name];
  if (value === undefined || value === null) throw missing(name);
  if (typeof value === 'string') return [textInput(value)];
  if (!Array.isArray(value)) throw wrongType(name, FORMS, value);
  if (value.length === 0) {
    const message = `Invalid '${name}': empty array. Expected an array with minimum length 1.`;
    throw new ApiError(400, message, name, 'empty_array');
  }
  if (isTokens(value)) return [tokenInput(value)];
  if (value.length > MOST_INPUTS) {
    const message = `Invalid '${name}': array too long. Expected an array with maximum length ${MOST_INPUTS}.`;
    throw new ApiError(400, message, name, 'array_above_max_length');
  }
  return value.map((entry: unknown, index) => {
    if (typeof entry === 'string') return textInput(entry);
    if (Array.isArray(entry) && entry.length > 0 && isTokens(entry)) return tokenInput(entry);
    throw wrongType(`${name}[${index}]`, 'a string or an array of tokens', entry);
  });
}

function textInput(text: string): TextInput {
  return { readInto: (reading) => reading.read(text) };
}

function tokenInput(tokens: number[]): TextInput {
  return { readInto: (reading) => reading.readTokens(tokens) };
}

function isTokens(values: unknown[]): values is number[] {
  return values.every((value) => Number.isInteger(value) && Number(value) >= 0);
}
