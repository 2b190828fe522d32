import {
  AT_ONCE_BYTES,
  atOnce,
  JsonFault,
  type JsonMember,
  JsonText,
  readJson,
  readJsonInSlices,
  type SteppedWork,
  type UniqueNames,
  workInSlices,
  writeJson,
} from '@inference/http';
import { PayloadTooLargeException } from '@nestjs/common';
import { InvalidJsonError, InvalidValueError } from '../proxy/request/request.errors';
import { type Fields } from './fields';

/** The longest body in the words of another protocol: as long as one that arrives. */
const MOST_WRITTEN_BYTES = 32 * 1024 * 1024;
/** What a body may become longer by before its buffer grows. */
const LEAST_ROOM_BYTES = 16_384;

/** The body of a request. */
export interface ReadBody {
  fields: Fields;
  /** Writes a value of the body, or one that was made of it, as JSON. */
  write(value: unknown): string;
  /** As `write`, for a place in another value. Of a long body it is written with the whole. */
  asText(value: unknown): string | JsonText;
  /** Does a work that grows with the body; beside others if that is long. */
  work<Result>(steps: SteppedWork<Result>): Promise<Result>;
  /**
   * As `write`, beside others if the body is long. Throws 413 for what is longer than a body may be.
   * @param hasRawJson whether there may be RawJson in it
   */
  writeWhole(value: unknown, hasRawJson?: boolean): Promise<Buffer>;
}

export interface ReadOptions {
  /** See `readJsonInSlices`. */
  beforeSlice(this: void): void;
  /** Called before memory is taken for the whole of a long body that is written; may throw. */
  reserve?(this: void, bytes: number): void;
}

const UNWATCHED: ReadOptions = { beforeSlice: () => undefined };

/**
 * Reads the body of a request so that what is written of it has every number as it was: one that a double cannot hold, such as the bounds
 * of a 64-bit integer in the schema of a tool, is an object with its digits meanwhile. Throws InvalidJsonError.
 */
export async function readBody(raw: unknown, options = UNWATCHED): Promise<ReadBody> {
  if (!Buffer.isBuffer(raw) || raw.length === 0) throw new InvalidJsonError('The body is empty.');
  try {
    return await read(raw, options);
  } catch (error) {
    throw error instanceof JsonFault ? new InvalidJsonError(`The body ${error.problem}.`) : error;
  }
}

/** Where the values of these fields are in a body that can be read. Throws InvalidValueError for one that is given twice. */
export async function membersOf(
  raw: Buffer,
  names: UniqueNames,
  beforeSlice?: () => void,
): Promise<readonly JsonMember[]> {
  return (await membersReader(raw, names, beforeSlice))();
}

/** As `membersOf`, for those who may not need them. Only a long body is read for this before, beside others. */
export async function membersReader(
  raw: Buffer,
  names: UniqueNames,
  beforeSlice?: () => void,
): Promise<() => readonly JsonMember[]> {
  const options = { names, hasOnlyMembers: true };
  const fail = (error: unknown): never => {
    if (!(error instanceof JsonFault) || error.path === undefined) throw error;
    throw new InvalidValueError({ path: error.path, message: error.problem });
  };
  if (raw.length <= AT_ONCE_BYTES)
    return () => {
      try {
        return readJson(raw, options).members;
      } catch (error) {
        return fail(error);
      }
    };
  try {
    const { members } = await readJsonInSlices(raw, options, beforeSlice);
    return () => members;
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    return () => fail(error);
  }
}

/** Only what a double cannot hold, and long bodies, need more than `JSON.stringify`. */
async function read(raw: Buffer, options: ReadOptions): Promise<ReadBody> {
  const { beforeSlice } = options;
  const scan = { refuseInexactNumbers: true };
  const work: ReadBody['work'] = (steps) => workInSlices(raw.length, steps, beforeSlice);
  const written = (given: unknown) =>
    writeJson(given, {
      expectedBytes: raw.length + LEAST_ROOM_BYTES,
      mostBytes: MOST_WRITTEN_BYTES,
      tooLong,
      ...(raw.length > AT_ONCE_BYTES && { reserve: options.reserve }),
    });
  const writeInSteps = (whole: unknown) => work(written(whole));
  if (raw.length <= AT_ONCE_BYTES)
    try {
      const { value } = await readJsonInSlices(raw, scan, beforeSlice);
      const write = (given: unknown) => JSON.stringify(given);
      const writeWhole = (whole: unknown, hasRawJson = false) =>
        hasRawJson ? writeInSteps(whole) : Promise.resolve(Buffer.from(write(whole)));
      return { fields: fieldsOf(value), write, asText: write, work, writeWhole };
    } catch (error) {
      if (!(error instanceof JsonFault) || error.kind !== 'value') throw error;
    }
  const kept = { ...scan, keepsInexactNumbers: true };
  const { value } = await readJsonInSlices(raw, kept, beforeSlice);
  return {
    fields: fieldsOf(value),
    write: (given) => atOnce(written(given)).toString(),
    asText: (given) => new JsonText(given),
    work,
    writeWhole: writeInSteps,
  };
}

/** The text that `asText` has given, of at most so many bytes. */
export function* textOf(
  text: string | JsonText,
  mostBytes: number,
  tooLong: () => Error,
): SteppedWork<string> {
  if (typeof text === 'string') return text;
  const bytes = yield* writeJson(text.value, { expectedBytes: LEAST_ROOM_BYTES, mostBytes, tooLong });
  return bytes.toString();
}

const tooLong = () =>
  new PayloadTooLargeException('the body is too large in the words of the server of this model');

function fieldsOf(value: unknown): Fields {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new InvalidJsonError('The body must be a JSON object.');
  return value as Fields;
}
