import { isUtf8 } from 'node:buffer';
import { JsonBuilder } from './json-builder';
import { JsonFault } from './json-bytes';
import { type JsonMember, JsonScanner, type ScanOptions } from './json-scanner';

/** Other requests wait for so long at most, while texts are read. Measured: a text of 128 KiB that is parsed at the end of it adds 10 ms. */
const SLICE_MILLIS = 5;

/** A reading in steps. */
interface Steps<Result> {
  /** Returns whether it has ended. May throw. */
  advance(): boolean;
  readonly result: Result;
}

/** What has become of a work in a slice. A large result ends the slice, and is given in a turn of its own: using it takes a while. */
type Progress = 'unfinished' | 'ended' | 'ended with the slice';

/** Goes on until it ends or the clock shows this. */
type SlicedWork = (untilMillis: number) => Progress;

const waiting: SlicedWork[] = [];
/** The large one that has begun; the others wait for its end. Half a result of each would be more than the garbage collector moves in a short time. */
let begunLarge: SlicedWork | undefined;

/** One slice in a turn of the event loop, for all that waits: slices of their own would follow one another in one turn. */
function runSlice(): void {
  const untilMillis = performance.now() + SLICE_MILLIS;
  do {
    const work = waiting.shift()!;
    const progress = work(untilMillis);
    if (progress === 'unfinished') waiting.push(work);
    else if (work === begunLarge) begunLarge = undefined;
    if (progress === 'ended with the slice') break;
  } while (waiting.length > 0 && performance.now() < untilMillis);
  if (waiting.length > 0) setImmediate(runSlice);
}

/**
 * Resolves to the result of a work that is done in slices, in turn with all others of the process; large ones one after the other.
 * @param begin called in the first slice
 * @param beforeSlice called in each turn of the work, also while it waits for another large one; what it throws ends the work
 * @param isLarge using the result takes as long as a slice or longer
 */
function inSlices<Result>(
  begin: () => Steps<Result>,
  beforeSlice: () => void,
  isLarge: boolean,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    let steps: Steps<Result> | undefined;
    const work: SlicedWork = (untilMillis) => {
      try {
        beforeSlice();
        if (isLarge && (begunLarge ??= work) !== work) return 'unfinished';
        steps ??= begin();
        while (!steps.advance()) if (performance.now() >= untilMillis) return 'unfinished';
        const { result } = steps;
        if (!isLarge) resolve(result);
        else setImmediate(resolve, result);
        return isLarge ? 'ended with the slice' : 'ended';
      } catch (error) {
        reject(error as Error);
        return 'ended';
      }
    };
    if (waiting.push(work) === 1) setImmediate(runSlice);
  });
}

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
