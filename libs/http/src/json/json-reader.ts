import { isUtf8 } from 'node:buffer';
import { JsonBuilder } from './json-builder';
import { JsonFault } from './json-fault';
import { type JsonMember, JsonScanner, type ScanOptions } from './json-scanner';
import { inSlices } from './json-slices';

/** What has been read of a JSON text. */
export interface ReadJson {
  /** With `names` an object of more than AT_ONCE_BYTES has only the members of these names. */
  value: unknown;
  /** With `names`: where the members of these names are. */
  members: readonly JsonMember[];
  /** With `names`: the other names of the object; very long ones are left out. */
  otherNames: readonly string[];
}

/** A longer text is parsed in pieces. Measured: the worst text of this length takes 10 ms of processor time. */
export const AT_ONCE_BYTES = 131_072;
/** A longer text waits for its slice: many may arrive in one turn of the event loop. The worst text of this length takes as long as four ordinary requests. */
const UNSLICED_BYTES = 16_384;
/** Between two looks at the clock. */
const STEP_BYTES = 32_768;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** Reads JSON of any length at once. Throws a JsonFault for what is not JSON or exceeds the limits. */
export function readJson(bytes: Buffer, options: ScanOptions = {}): ReadJson {
  const reading = new JsonReading(bytes, options);
  reading.advance(Infinity);
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
  private readonly scanner: JsonScanner;
  private offset = 0;

  constructor(
    private readonly bytes: Buffer,
    options: ScanOptions,
  ) {
    if (!isUtf8(bytes)) throw new JsonFault('syntax', 'is not valid JSON');
    this.builder = bytes.length > AT_ONCE_BYTES ? new JsonBuilder(bytes) : undefined;
    this.scanner = new JsonScanner(bytes, options, this.builder);
  }

  /** Returns whether the text has ended. */
  advance(bytes = STEP_BYTES): boolean {
    this.offset += bytes;
    return this.scanner.scan(this.offset);
  }

  get result(): ReadJson {
    const { members, otherNames } = this.scanner;
    return { value: this.builder ? this.builder.value : parsed(this.bytes), members, otherNames };
  }
}
