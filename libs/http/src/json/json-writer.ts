import { type SteppedWork } from './slices';

/** JSON that stands in a value and is written as it is. */
export class RawJson {
  constructor(readonly json: string) {}
}

/** A value that is written as the text of its JSON, such as the arguments of a call. */
export class JsonText {
  constructor(readonly value: unknown) {}
}

export interface WriteOptions {
  /** The length that the JSON probably has. */
  expectedBytes: number;
  mostBytes: number;
  /** Makes the error for JSON that is longer. */
  tooLong(): Error;
  /** Called before memory is taken; may throw. */
  reserve?(bytes: number): void;
}

/** Characters of a text that are written at once. Measured: a part of quotes within a text within a text takes 3 ms. */
const PART_CHARS = 65_536;
/** Characters between two steps, which short values share. */
const STEP_CHARS = 16_384;
/** UTF-16 needs at most three bytes of UTF-8 for one character. */
const MOST_BYTES_OF_CHAR = 3;

const isFirstHalf = (code: number): boolean => (code & 0xfc00) === 0xd800;

/** A list or an object whose values are being written. */
interface OpenValue {
  /** Undefined for a list. */
  names: string[] | undefined;
  value: Record<string, unknown> | unknown[];
  next: number;
  isEmpty: boolean;
}

/** Writes a value as `JSON.stringify` does, in steps. */
export function* writeJson(value: unknown, options: WriteOptions): SteppedWork<Buffer> {
  const output = new Output(options);
  yield* write(value, output);
  return output.bytes;
}

function* write(value: unknown, output: Output): SteppedWork<void> {
  const open: OpenValue[] = [];
  let current: unknown = value;
  for (;;) {
    if (typeof current === 'string') yield* writeText(current, output);
    else if (current instanceof RawJson) yield* writeRaw(current.json, output);
    else if (current instanceof JsonText) {
      output.beginText();
      yield* write(current.value, output);
      output.endText();
    } else if (current !== null && typeof current === 'object') {
      const isList = Array.isArray(current);
      output.add(isList ? '[' : '{');
      open.push({
        names: isList ? undefined : Object.keys(current),
        value: current as OpenValue['value'],
        next: 0,
        isEmpty: true,
      });
    } else output.add(JSON.stringify(current) ?? 'null');
    if (output.isStepDone) yield;
    for (;;) {
      const top = open.at(-1);
      if (!top) return;
      if (top.names === undefined) {
        const list = top.value as unknown[];
        if (top.next < list.length) {
          if (top.next > 0) output.add(',');
          current = list[top.next++];
          break;
        }
        output.add(']');
      } else {
        const name = top.names[top.next++];
        if (name !== undefined) {
          current = (top.value as Record<string, unknown>)[name];
          if (current === undefined) continue;
          output.add(`${top.isEmpty ? '' : ','}${JSON.stringify(name)}:`);
          top.isEmpty = false;
          break;
        }
        output.add('}');
      }
      open.pop();
    }
  }
}

function* writeText(text: string, output: Output): SteppedWork<void> {
  if (text.length <= PART_CHARS) return output.add(JSON.stringify(text));
  output.add('"');
  for (const part of partsOf(text)) {
    output.add(JSON.stringify(part).slice(1, -1));
    yield;
  }
  output.add('"');
}

function* writeRaw(text: string, output: Output): SteppedWork<void> {
  for (const part of partsOf(text)) {
    output.add(part);
    if (output.isStepDone) yield;
  }
}

/** Parts of a text, of which none ends within a character. */
function* partsOf(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    let end = Math.min(text.length, start + PART_CHARS);
    if (end < text.length && isFirstHalf(text.charCodeAt(end - 1))) end--;
    yield text.slice(start, end);
    start = end;
  }
}

/** Collects JSON in one buffer. */
class Output {
  /** How many texts of JSON it is written into. */
  private depth = 0;
  private stepChars = 0;
  private pending = '';
  private buffer: Buffer;
  private length = 0;

  constructor(private readonly options: WriteOptions) {
    const size = Math.min(options.expectedBytes, options.mostBytes);
    options.reserve?.(size);
    this.buffer = Buffer.allocUnsafe(size);
  }

  /** Whether others should have their turn. */
  get isStepDone(): boolean {
    if (this.stepChars < STEP_CHARS) return false;
    this.stepChars = 0;
    return true;
  }

  get bytes(): Buffer {
    this.flush();
    return this.buffer.subarray(0, this.length);
  }

  add(json: string): void {
    // A value without letters costs time too.
    this.stepChars += json.length + 8;
    this.pending += json;
    if (this.pending.length >= STEP_CHARS) this.flush();
  }

  beginText(): void {
    this.add('"');
    this.flush();
    this.depth++;
  }

  endText(): void {
    this.flush();
    this.depth--;
    this.add('"');
  }

  private flush(): void {
    let text = this.pending;
    this.pending = '';
    for (let times = 0; times < this.depth; times++) text = JSON.stringify(text).slice(1, -1);
    if (this.length + MOST_BYTES_OF_CHAR * text.length > this.buffer.length)
      this.grow(Buffer.byteLength(text));
    this.length += this.buffer.write(text, this.length);
  }

  private grow(bytes: number): void {
    const { mostBytes, tooLong, reserve } = this.options;
    const needed = this.length + bytes;
    if (needed > mostBytes) throw tooLong();
    if (needed <= this.buffer.length) return;
    const size = Math.min(mostBytes, Math.max(needed, 2 * this.buffer.length));
    reserve?.(size - this.buffer.length);
    const grown = Buffer.allocUnsafe(size);
    this.buffer.copy(grown, 0, 0, this.length);
    this.buffer = grown;
  }
}
