import { isExactNumber, type JsonBuilder } from './json-builder';
import { digitsEnd, escapeBytes, isDigit, JsonFault, malformed, nextQuote, tableOf } from './json-bytes';
import { RawJson } from './json-writer';
import { AT_ONCE_BYTES } from './slices';
import { type UniqueName, type UniqueNames } from './unique-names';

/** Limits of every JSON body (ADR 46). They bound the time and memory that parsing it takes. */
export const JSON_LIMITS = {
  /** Objects and lists within one another. */
  depth: 100,
  /** Names of all objects. */
  names: 100_000,
  /** Texts, numbers, constants, objects and lists. */
  values: 1_000_000,
  /** Bytes of one name or number, which are read in one go. Chosen: a number that is written out has 309 digits at most. */
  tokenBytes: 65_536,
};

export interface ScanOptions {
  /** Refuses names that are given twice, and collects where the members of the outermost object are. */
  names?: UniqueNames | undefined;
  /** Finds only where the members are in a text that was read before. */
  hasOnlyMembers?: boolean | undefined;
  /** Refuses numbers that a double cannot hold. */
  refuseInexactNumbers?: boolean | undefined;
  /** Has them built as RawJson instead. */
  keepsInexactNumbers?: boolean | undefined;
  /** Has no limit of names and values: of a text that no client sends. */
  hasManyValues?: boolean | undefined;
  /** Leaves out the members of these names, at any depth, if the text is longer than AT_ONCE_BYTES. One whose name has escapes may stay. */
  leftOut?: UniqueNames | undefined;
}

/** A member of the outermost object: where its value is. */
export interface JsonMember {
  name: string;
  start: number;
  end: number;
}

const [QUOTE, BACKSLASH, COMMA, COLON, MINUS, PLUS, DOT] = [0x22, 0x5c, 0x2c, 0x3a, 0x2d, 0x2b, 0x2e];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const [ZERO, LOWER_E, UPPER_E] = [0x30, 0x65, 0x45];
const LITERALS: Record<number, Buffer | undefined> = {
  0x74: Buffer.from('true'),
  0x66: Buffer.from('false'),
  0x6e: Buffer.from('null'),
};

/** What may come next. */
const VALUE = 0;
const VALUE_OR_END = 1;
const NAME = 2;
const NAME_OR_END = 3;
const BEFORE_VALUE = 4;
const AFTER_VALUE = 5;
const IN_STRING = 6;
const END = 7;

const IS_SPACE = tableOf(' \t\r\n');
/** Bytes that stand for themselves in a string. */
const IS_PLAIN = tableOf(
  Array.from({ length: 256 }, (_, byte) => byte).filter(
    (byte) => byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH,
  ),
);
/** Numbers with fewer characters and no exponent have all digits in a double. */
const MIN_INEXACT_CHARS = 16;
/** Longer names of the outermost object are not collected. */
const MAX_OTHER_NAME_BYTES = 64;
/** A long string is handed over in parts of this length. V8 copies shorter ones when it collects garbage. */
const PART_BYTES = 262_144;
/** A native search costs about as much as a loop over this many bytes. */
const SHORT_BYTES = 32;

/**
 * Checks that bytes are JSON within the limits, in steps, in one pass and without allocating anything for what it passes. The bytes
 * must be UTF-8. A builder is told where everything is; without one the text has to be parsed afterwards, which judges the strings.
 */
export class JsonScanner {
  /** Members of the outermost object that are among the unique names. */
  readonly members: JsonMember[] = [];
  /** The other names of the outermost object. */
  readonly otherNames: string[] = [];
  private at = 0;
  private state = VALUE;
  private names = 0;
  private values = 0;
  private depth = 0;
  /** By depth: whether it is a list, where it starts, what is known of its names, and which of these it has. */
  private readonly isList: boolean[] = [];
  private readonly starts: number[] = [0];
  private readonly known: (UniqueNames | undefined)[] = [];
  private readonly seen: number[] = [];
  /** By depth: the names that it has, where each may be given once. */
  private readonly seenNames: Set<string>[] = [];
  /** By depth: the current name, or the number of values before the current one. */
  private readonly nameStarts: number[] = [];
  private readonly nameEnds: number[] = [];
  private readonly indices: number[] = [];
  /** Where the latest value starts that is no object or list. */
  private scalarStart = 0;
  /** The string that is being read. */
  private stringStart = 0;
  private isName = false;
  private hasEscapes = false;
  /** What is known of the value that follows a name. */
  private entry: UniqueName | undefined;
  private member: UniqueName | undefined;
  /** Undefined while the value of a member is left out. */
  private target: JsonBuilder | undefined;
  /** Of the object whose member is left out by its name; 0 if none is. */
  private leftOutDepth = 0;

  /**
   * Whether something else judges what is in strings, so that it need not be looked at: `JSON.parse`, or the reading before. A search for
   * the end of a string makes no pause, so not of a long text.
   */
  private readonly skipsStrings: boolean;

  constructor(
    private readonly bytes: Buffer,
    private readonly options: ScanOptions,
    private readonly builder?: JsonBuilder,
  ) {
    this.skipsStrings = builder === undefined && bytes.length <= AT_ONCE_BYTES;
    this.target = builder;
  }

  /** Reads on to about this offset. Returns whether the text has ended. Throws a JsonFault. */
  scan(upTo: number): boolean {
    const { bytes } = this;
    const { length } = bytes;
    for (;;) {
      const { at, state } = this;
      if (at >= length) return this.finish();
      if (at >= upTo) {
        this.pause();
        return false;
      }
      const byte = bytes[at]!;
      if (state === IN_STRING) this.readString(Math.min(upTo, length));
      else if (IS_SPACE[byte] === 1) this.at = at + 1;
      else if (state === NAME || (state === NAME_OR_END && byte !== CLOSE_OBJECT)) {
        if (byte !== QUOTE) malformed();
        this.startString(true);
      } else if (state === BEFORE_VALUE) {
        if (byte !== COLON) malformed();
        this.step(VALUE);
      } else if (state === VALUE || (state === VALUE_OR_END && byte !== CLOSE_LIST)) this.readValue(byte);
      else if (state === END) malformed();
      else if (byte === COMMA && state === AFTER_VALUE) this.step(this.isList[this.depth] ? VALUE : NAME);
      else if (byte === (this.isList[this.depth] ? CLOSE_LIST : CLOSE_OBJECT)) this.close();
      else malformed();
    }
  }

  private step(state: number): void {
    this.at++;
    this.state = state;
  }

  private finish(): boolean {
    if (this.state !== END) malformed();
    return true;
  }

  /** Hands the part of a long string over that has been read; the cut is between two characters. */
  private pause(): void {
    if (this.state !== IN_STRING || this.isName || !this.target) return;
    if (this.at - this.stringStart < PART_BYTES) return;
    let cut = this.at;
    while ((this.bytes[cut]! & 0xc0) === 0x80) cut--;
    this.target.stringPart(this.stringStart + 1, cut);
    // What is left reads like a string that starts before it.
    this.stringStart = cut - 1;
  }

  private startString(isName: boolean): void {
    this.stringStart = this.at;
    this.isName = isName;
    this.hasEscapes = false;
    this.step(IN_STRING);
  }

  private readString(upTo: number): void {
    const { bytes } = this;
    let { at } = this;
    for (;;) {
      const soon = this.skipsStrings && !this.isName ? Math.min(upTo, at + SHORT_BYTES) : upTo;
      while (at < soon && IS_PLAIN[bytes[at]!] === 1) at++;
      if (at === soon && soon < upTo) at = nextQuote(bytes, at);
      if (at >= upTo) break;
      if (bytes[at] === QUOTE) {
        this.at = at + 1;
        return this.endString();
      }
      if (bytes[at] !== BACKSLASH) malformed();
      this.hasEscapes = true;
      at += escapeBytes(bytes, at);
    }
    this.at = at;
    if (this.isName) this.limitToken(this.stringStart, at);
  }

  private endString(): void {
    const { stringStart, at } = this;
    if (!this.isName) return this.endScalar(stringStart, at);
    this.limitToken(stringStart, at);
    this.state = BEFORE_VALUE;
    if (++this.names > JSON_LIMITS.names && !this.options.hasManyValues)
      throw new JsonFault('limit', `must not have more than ${JSON_LIMITS.names} names`);
    const { depth } = this;
    this.nameStarts[depth] = stringStart;
    this.nameEnds[depth] = at;
    const known = this.known[depth];
    this.entry = known && this.findName(known, stringStart, at);
    const { names, leftOut } = this.options;
    if (depth === 1 && names) this.startMember();
    if (!this.target) return;
    if (!leftOut?.find(this.bytes, stringStart + 1, at - 1)) return this.target.name(stringStart, at);
    this.target.leaveOut();
    this.target = undefined;
    this.leftOutDepth = depth;
  }

  private findName(known: UniqueNames, start: number, end: number): UniqueName | undefined {
    const { bytes, depth } = this;
    if (known.every) {
      const name = this.hasEscapes ? this.textOf(start, end) : bytes.toString('utf8', start + 1, end - 1);
      const names = this.seenNames[depth]!;
      if (names.size === names.add(name).size) throw this.faultHere('must be given once');
      return known.every;
    }
    let entry: UniqueName | undefined;
    if (this.hasEscapes) {
      const name = Buffer.from(this.textOf(start, end));
      entry = known.find(name, 0, name.length);
    } else entry = known.find(bytes, start + 1, end - 1);
    if (!entry) return undefined;
    if ((this.seen[depth]! & entry.bit) !== 0) throw this.faultHere('must be given once');
    this.seen[depth]! |= entry.bit;
    return entry;
  }

  private startMember(): void {
    const { entry, builder } = this;
    this.member = entry;
    this.target = entry && builder;
    if (entry) return;
    builder?.leaveOut();
    const [start, end] = [this.nameStarts[1]!, this.nameEnds[1]!];
    if (end - start <= MAX_OTHER_NAME_BYTES) this.otherNames.push(this.textOf(start, end));
  }

  private readValue(byte: number): void {
    const { at } = this;
    this.scalarStart = at;
    if (++this.values > JSON_LIMITS.values && !this.options.hasManyValues)
      throw new JsonFault('limit', `must not have more than ${JSON_LIMITS.values} values`);
    if (byte === QUOTE) return this.startString(false);
    if (byte === OPEN_OBJECT || byte === OPEN_LIST) return this.open(byte === OPEN_LIST);
    if (byte === MINUS || isDigit(byte)) return this.readNumber(at);
    this.at = this.literalEnd(at);
    this.endScalar(at, this.at);
  }

  private open(isList: boolean): void {
    const { depth, at } = this;
    if (depth === JSON_LIMITS.depth)
      throw new JsonFault('limit', `must not be nested more than ${JSON_LIMITS.depth} levels deep`);
    const inner = depth + 1;
    const known =
      depth === 0 ? this.options.names : this.isList[depth] ? this.known[depth]?.entries : this.entry?.inner;
    this.known[inner] = known;
    this.entry = undefined;
    if (known?.every && !isList) this.seenNames[inner] = new Set();
    this.isList[inner] = isList;
    this.starts[inner] = at;
    this.seen[inner] = 0;
    this.indices[inner] = 0;
    this.depth = inner;
    this.target?.open(isList, at);
    this.step(isList ? VALUE_OR_END : NAME_OR_END);
  }

  private close(): void {
    const { depth } = this;
    const start = this.starts[depth]!;
    this.at++;
    this.depth = depth - 1;
    if (depth === 1) this.target = this.builder;
    this.target?.close(this.at);
    this.endValue(start);
  }

  private endScalar(start: number, end: number): void {
    this.target?.scalar(start, end);
    this.endValue(this.scalarStart);
  }

  private endValue(start: number): void {
    const { depth, member } = this;
    this.indices[depth]!++;
    this.state = depth === 0 ? END : AFTER_VALUE;
    if (depth === this.leftOutDepth) {
      this.leftOutDepth = 0;
      this.target = this.builder;
    }
    if (depth !== 1 || !member) return;
    this.members.push({ name: member.name, start, end: this.at });
    this.member = undefined;
  }

  private readNumber(start: number): void {
    const { bytes, options, builder } = this;
    // A digit more than is admitted: the rest of a number that is too long is not read, as it is not read in steps.
    const most = JSON_LIMITS.tokenBytes + 1;
    let at = bytes[start] === MINUS ? start + 1 : start;
    at = bytes[at] === ZERO ? at + 1 : digitsEnd(bytes, at, most);
    if (bytes[at] === DOT) at = digitsEnd(bytes, at + 1, most);
    const hasExponent = bytes[at] === LOWER_E || bytes[at] === UPPER_E;
    if (hasExponent) {
      const isSigned = bytes[at + 1] === PLUS || bytes[at + 1] === MINUS;
      at = digitsEnd(bytes, at + (isSigned ? 2 : 1), most);
    }
    this.limitToken(start, at);
    this.at = at;
    const mayBeInexact = hasExponent || at - start >= MIN_INEXACT_CHARS;
    if (options.refuseInexactNumbers && mayBeInexact) {
      const token = bytes.toString('latin1', start, at);
      if (!isExactNumber(token)) {
        if (!options.keepsInexactNumbers || !builder)
          throw this.faultHere('must not have more digits than can be processed exactly');
        this.target?.addBuilt(new RawJson(token));
        return this.endValue(start);
      }
    }
    this.endScalar(start, at);
  }

  /** Returns the offset behind `true`, `false` or `null`. */
  private literalEnd(start: number): number {
    const { bytes } = this;
    const literal = LITERALS[bytes[start]!];
    if (!literal) malformed();
    for (let i = 0; i < literal.length; i++) if (bytes[start + i] !== literal[i]) malformed();
    return start + literal.length;
  }

  private limitToken(start: number, end: number): void {
    if (end - start > JSON_LIMITS.tokenBytes)
      throw new JsonFault(
        'limit',
        `must not have names or numbers of more than ${JSON_LIMITS.tokenBytes} bytes`,
      );
  }

  private textOf(start: number, end: number): string {
    return JSON.parse(this.bytes.toString('utf8', start, end)) as string;
  }

  /** A fault at the name that was read last, or at the value that is being read. */
  private faultHere(problem: string): JsonFault {
    const parts = Array.from({ length: this.depth }, (_, above) => {
      const depth = above + 1;
      return this.isList[depth]
        ? String(this.indices[depth])
        : this.textOf(this.nameStarts[depth]!, this.nameEnds[depth]!);
    });
    return new JsonFault('value', problem, parts.length === 0 ? ['value'] : parts);
  }
}
