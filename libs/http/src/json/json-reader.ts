import { isUtf8 } from 'node:buffer';
import { JsonBuilder } from './json-builder';
import { JsonFault } from './json-bytes';
import { type JsonMember, JsonScanner, type ScanOptions } from './json-scanner';
import { AT_ONCE_BYTES, inSlices, type SteppedWork, UNSLICED_BYTES } from './slices';

/** What has been read of a JSON text. */
export interface ReadJson {
  /** With `names` an object of more than AT_ONCE_BYTES has only the members of these names, and none of `leftOut`. */
  value: unknown;
  /** With `names`: where the members of these names are. */
  members: readonly JsonMember[];
  /** With `names`: the other names of the object; very long ones are left out. */
  otherNames: readonly string[];
}

/** Between two looks at the clock. */
const STEP_BYTES = 32_768;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** Reads JSON of any length at once. Throws a JsonFault for what is not JSON or exceeds the limits. */
export function readJson(bytes: Buffer, options: ScanOptions = {}): ReadJson {
  const reading = new JsonReading(bytes, options);
  reading.advance(Infinity);
  return reading.result;
}

/** As `readJson`, as a part of a work in steps. */
export function* jsonSteps(bytes: Buffer, options: ScanOptions = {}): SteppedWork<ReadJson> {
  const reading = new JsonReading(bytes, options);
  while (!reading.advance()) yield;
  return reading.result;
}

/**
 * As `readJson`, but others have their turn while long texts are read.
 * @param beforeSlice called before each part of the work; what it throws ends the reading
 */
export async function readJsonInSlices(
  bytes: Buffer,
  options: ScanOptions = {},
  beforeSlice: () => void = () => undefined,
): Promise<ReadJson> {
  if (bytes.length <= UNSLICED_BYTES) return readJson(bytes, options);
  return inSlices(() => new JsonReading(bytes, options), beforeSlice, bytes.length > AT_ONCE_BYTES);
}

/** The same bytes without the mark that some programs put before a text. */
export const withoutByteOrderMark = (bytes: Buffer): Buffer =>
  bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
    ? bytes.subarray(BYTE_ORDER_MARK.length)
    : bytes;

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new JsonFault('syntax', 'is not valid JSON');
  }
}

class JsonReading {
  private readonly builder: JsonBuilder | undefined;
  private readonly isParsed: boolean;
  private readonly scanner: JsonScanner;
  private offset = 0;

  constructor(
    private readonly bytes: Buffer,
    options: ScanOptions,
  ) {
    if (!isUtf8(bytes)) throw new JsonFault('syntax', 'is not valid JSON');
    const isBuilt = bytes.length > AT_ONCE_BYTES || options.keepsInexactNumbers === true;
    this.isParsed = options.hasOnlyMembers !== true;
    this.builder = isBuilt && this.isParsed ? new JsonBuilder(bytes) : undefined;
    this.scanner = new JsonScanner(bytes, options, this.builder);
  }

  /** Returns whether the text has ended. */
  advance(bytes = STEP_BYTES): boolean {
    this.offset += bytes;
    return this.scanner.scan(this.offset);
  }

  get result(): ReadJson {
    const { members, otherNames } = this.scanner;
    const value = this.builder ? this.builder.value : this.isParsed ? parsed(this.bytes) : undefined;
    return { value, members, otherNames };
  }
}
