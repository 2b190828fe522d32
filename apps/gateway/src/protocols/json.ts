import { JsonFault, readJsonInSlices } from '@inference/http';
import { isSafeNumber, LosslessNumber, parse, stringify } from 'lossless-json';
import { InvalidJsonError } from '../proxy/request/request.errors';
import { type Fields, refuse } from './fields';

/** Longest body that is read number by number. Measured: a body of this length takes some 30 ms of processor time. */
const MAX_LOSSLESS_BYTES = 1024 * 1024;

/** The body of a request. */
export interface ReadBody {
  fields: Fields;
  /** Writes a value of the body, or one that was made of it, as JSON. */
  write(value: unknown): string;
}

/**
 * Reads the body of a request so that `write` gives back every number as it was: one that a double cannot hold, such as the bounds of
 * a 64-bit integer in the schema of a tool, becomes a LosslessNumber. Throws InvalidJsonError and InvalidValueError.
 * @param beforeSlice see `readJsonInSlices`
 */
export async function readBody(raw: unknown, beforeSlice: () => void): Promise<ReadBody> {
  if (!Buffer.isBuffer(raw) || raw.length === 0) throw new InvalidJsonError('The body is empty.');
  try {
    const { value } = await readJsonInSlices(raw, { refuseInexactNumbers: true }, beforeSlice);
    return { fields: fieldsOf(value), write: JSON.stringify };
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    if (error.kind !== 'value') throw new InvalidJsonError(`The body ${error.problem}.`);
    if (raw.length > MAX_LOSSLESS_BYTES) refuse(error.path ?? '', error.problem);
  }
  return readLossless(raw, beforeSlice);
}

async function readLossless(raw: Buffer, beforeSlice: () => void): Promise<ReadBody> {
  try {
    // The limits: the first reading has ended at a number.
    await readJsonInSlices(raw, {}, beforeSlice);
  } catch (error) {
    throw error instanceof JsonFault ? new InvalidJsonError(`The body ${error.problem}.`) : error;
  }
  const value = parse(raw.toString('utf8'), undefined, {
    parseNumber: (digits) => (isSafeNumber(digits) ? Number(digits) : new LosslessNumber(digits)),
    onDuplicateKey: ({ newValue }) => newValue,
  });
  return { fields: fieldsOf(value), write: (written) => stringify(written)! };
}

function fieldsOf(value: unknown): Fields {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new InvalidJsonError('The body must be a JSON object.');
  return value as Fields;
}
