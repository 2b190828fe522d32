import { isAscii } from 'node:buffer';

/** A double is printed with at most 17 significant digits. */
const MAX_DIGITS = 17;
const ZERO = 0x30;

/** Whether a double holds a number of JSON with all its digits: 4.999999999999999999 would become 5. Takes linear time. */
export function isExactNumber(token: string): boolean {
  const value = Number(token);
  if (!Number.isFinite(value)) return false;
  const digits = significantDigits(token);
  return digits.length <= MAX_DIGITS && digits === significantDigits(String(value));
}

function significantDigits(token: string): string {
  const digits = token.replace(/[eE].*/, '').replace(/[-.]/g, '');
  let start = 0;
  let end = digits.length;
  while (start < end && digits.charCodeAt(start) === ZERO) start++;
  while (end > start && digits.charCodeAt(end - 1) === ZERO) end--;
  return digits.slice(start, end);
}

/** Bytes of text that are parsed at once; one string or container beside them may have as many. Measured: 2 ms for empty objects. */
const PIECE_BYTES = 32_768;
const BACKSLASH = 0x5c;

/** A list or an object that is open. Its latest complete values are a run of text that is not parsed yet. */
interface Frame {
  isList: boolean;
  start: number;
  /** Of the run; -1 if there is none. */
  runStart: number;
  runEnd: number;
  /** The name of the value that follows, with its quotes. */
  nameStart: number;
  nameEnd: number;
  /** What has been parsed; undefined until a container is longer than a piece. */
  built: unknown[] | Record<string, unknown> | undefined;
}

const frameOf = (isList: boolean, start: number): Frame => ({
  isList,
  start,
  runStart: -1,
  runEnd: -1,
  nameStart: -1,
  nameEnd: -1,
  built: undefined,
});

/**
 * Builds the value of a long JSON text piece by piece, from what a scanner finds: `JSON.parse` gets many short texts instead of a
 * long one, each byte once.
 */
export class JsonBuilder {
  private readonly root = frameOf(true, 0);
  private readonly frames: Frame[] = [this.root];
  private top = this.root;
  /** What has been read of a long string. */
  private text: string | undefined;

  constructor(private readonly bytes: Buffer) {}

  /** The value of the text, after its end. */
  get value(): unknown {
    this.flush(this.root);
    return (this.root.built as unknown[])[0];
  }

  /** The name of the value that follows. */
  name(start: number, end: number): void {
    this.top.nameStart = start;
    this.top.nameEnd = end;
  }

  /** A member of the open object is left out. */
  leaveOut(): void {
    this.flush(this.top);
    this.top.built ??= {};
  }

  open(isList: boolean, start: number): void {
    this.top = frameOf(isList, start);
    this.frames.push(this.top);
  }

  close(end: number): void {
    const frame = this.frames.pop()!;
    this.top = this.frames.at(-1)!;
    if (!frame.built && end - frame.start <= 2 * PIECE_BYTES) return this.add(frame.start, end);
    frame.built ??= frame.isList ? [] : {};
    this.flush(frame);
    this.addBuilt(frame.built);
  }

  /** A text, number, `true`, `false` or `null`; or the last part of a string, with the byte before it. */
  scalar(start: number, end: number): void {
    if (this.text === undefined) return this.add(start, end);
    this.stringPart(start + 1, end - 1);
    this.addBuilt(this.text);
    this.text = undefined;
  }

  /** The next part of a string that is too long for a piece, without quotes. */
  stringPart(start: number, end: number): void {
    const part = this.bytes.subarray(start, end);
    const text = part.includes(BACKSLASH)
      ? (JSON.parse(`"${part.toString('utf8')}"`) as string)
      : part.toString(isAscii(part) ? 'latin1' : 'utf8');
    // Not an array to be joined: V8 copies the parts of a sum when somebody reads it, which is rare.
    this.text = this.text === undefined ? text : this.text + text;
  }

  /** Adds a short value to the run of the open container. */
  private add(start: number, end: number): void {
    const { top } = this;
    const from = top.isList ? start : top.nameStart;
    // Between a name and its value there may be megabytes of spaces.
    if (end - from > 3 * PIECE_BYTES) return this.addBuilt(this.parse(start, end));
    if (top.runStart >= 0 && end - top.runStart > PIECE_BYTES) this.flush(top);
    if (top.runStart < 0) top.runStart = from;
    top.runEnd = end;
  }

  /** Adds a value that is not parsed from the text. */
  addBuilt(value: unknown): void {
    const { top } = this;
    this.flush(top);
    if (top.isList) ((top.built ??= []) as unknown[]).push(value);
    else
      setMember(
        (top.built ??= {}) as Record<string, unknown>,
        this.parse(top.nameStart, top.nameEnd) as string,
        value,
      );
  }

  /** Parses the run of a container. */
  private flush(frame: Frame): void {
    if (frame.runStart < 0) return;
    const text = this.bytes.toString('utf8', frame.runStart, frame.runEnd);
    frame.runStart = -1;
    if (frame.isList) {
      const list = (frame.built ??= []) as unknown[];
      for (const entry of JSON.parse(`[${text}]`) as unknown[]) list.push(entry);
      return;
    }
    const members = JSON.parse(`{${text}}`) as Record<string, unknown>;
    if (!frame.built) frame.built = members;
    else
      for (const name of Object.keys(members))
        setMember(frame.built as Record<string, unknown>, name, members[name]);
  }

  private parse(start: number, end: number): unknown {
    return JSON.parse(this.bytes.toString('utf8', start, end));
  }
}

/** As `JSON.parse` does: `__proto__` is a member like any other. */
function setMember(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') object[name] = value;
  else Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}
