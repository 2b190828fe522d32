/** What the servers of models really send in the chunks of a chat, read in one way for all who put answers together. */

type Fields = Record<string, unknown>;

export const fieldsOf = (value: unknown): Fields =>
  value !== null && typeof value === 'object' ? (value as Fields) : {};
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A piece of a content. */
export interface ContentPiece {
  kind: 'text' | 'reasoning' | 'refusal';
  text: string;
}

/** The pieces of a content: a text, or a list of texts and parts as some servers send it. */
export function contentPieces(content: unknown): ContentPiece[] {
  if (typeof content === 'string') return [{ kind: 'text', text: content }];
  return listOf(content).flatMap((entry): ContentPiece[] => {
    if (typeof entry === 'string') return [{ kind: 'text', text: entry }];
    const { type, text, thinking, refusal } = fieldsOf(entry);
    if (type === 'refusal') return [{ kind: 'refusal', text: textOf(refusal) }];
    if (type !== 'thinking' && type !== 'reasoning') return [{ kind: 'text', text: textOf(text) }];
    const thoughts = Array.isArray(thinking) ? (thinking as unknown[]) : [thinking ?? text];
    return thoughts.map((thought) => ({
      kind: 'reasoning',
      text: textOf(thought) || textOf(fieldsOf(thought).text),
    }));
  });
}

/** Whether arguments are complete. */
export function isObjectText(text: string): boolean {
  if (!text.trimEnd().endsWith('}')) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPENING, CLOSING] = [new Set([0x7b, 0x5b]), new Set([0x7d, 0x5d])];
const BLANKS = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** Follows the braces of arguments that come in thousands of fragments, so that they are parsed once and not for each of them. */
class ArgumentsEnd {
  private depth = 0;
  private isInText = false;
  private isEscaped = false;
  private hasEnded = false;
  /** Behind the end, or closed without having been opened. */
  private hasMore = false;
  private isValid: boolean | undefined;

  push(text: string): void {
    for (let at = 0; at < text.length && !this.hasMore; at++) this.step(text.charCodeAt(at));
  }

  /** @param text all that was pushed */
  isReached(text: string): boolean {
    if (!this.hasEnded || this.hasMore) return false;
    return (this.isValid ??= isObjectText(text));
  }

  private step(char: number): void {
    if (this.isEscaped) this.isEscaped = false;
    else if (this.isInText) {
      if (char === QUOTE) this.isInText = false;
      else if (char === BACKSLASH) this.isEscaped = true;
    } else if (this.hasEnded) this.hasMore = !BLANKS.has(char);
    else if (char === QUOTE) this.isInText = true;
    else if (OPENING.has(char)) this.depth += 1;
    else if (CLOSING.has(char)) {
      this.depth -= 1;
      this.hasEnded = this.depth === 0;
      this.hasMore = this.depth < 0;
    }
  }
}

/** Some servers send the arguments of a call as an object. */
const argumentsOf = (value: unknown): string =>
  value !== null && typeof value === 'object' ? JSON.stringify(value) : textOf(value);

/** A call of a tool, as far as its fragments have arrived. */
export interface CallInParts {
  /** Empty until the server has named it. */
  id: string;
  /** Empty until known. */
  name: string;
  /** Its arguments, normally JSON. */
  text: string;
}

interface Fragment {
  id: string;
  index: unknown;
  name: string;
  text: string;
}

/** What is known of a call beside its parts. */
interface CallState {
  isNamedByServer: boolean;
  end: ArgumentsEnd;
}

/**
 * Puts calls of tools together. Servers differ in how they name them: a new id is a new call, a known id or index goes on with it, and
 * without both the last call goes on, unless it is complete and another name begins. A name is set once and not appended.
 */
export class CallAssembly<Call extends CallInParts> {
  private readonly byId = new Map<string, Call>();
  private readonly byIndex = new Map<unknown, Call>();
  private readonly states = new Map<Call, CallState>();
  private last: Call | undefined;

  /** @param begin makes a call without arguments */
  constructor(private readonly begin: (id: string, name: string) => Call) {}

  /** The call that a fragment belongs to, with its id and name, and the arguments that it adds. Whoever keeps them calls `add`. */
  read(value: unknown): { call: Call; text: string } {
    const { id, index, function: called } = fieldsOf(value);
    const { name, arguments: given } = fieldsOf(called);
    const fragment = { id: textOf(id), index, name: textOf(name), text: argumentsOf(given) };
    const call = this.callOf(fragment) ?? this.newCall(fragment);
    if (fragment.id !== '') {
      this.byId.set(fragment.id, call);
      this.states.get(call)!.isNamedByServer = true;
    }
    // Repeated in each chunk by some servers.
    if (call.name === '') call.name = fragment.name;
    return { call, text: fragment.text };
  }

  /** Adds arguments to a call. */
  add(call: Call, text: string): void {
    call.text += text;
    this.states.get(call)!.end.push(text);
  }

  /** Whether the arguments of a call are a whole object. */
  isComplete(call: Call): boolean {
    return this.states.get(call)?.end.isReached(call.text) ?? false;
  }

  /** The call that a fragment goes on with; undefined if it begins one. */
  private callOf(fragment: Fragment): Call | undefined {
    const byIndex = this.byIndex.get(fragment.index);
    const hasIndex = fragment.index !== undefined && fragment.index !== null;
    if (fragment.id !== '') {
      const known = this.byId.get(fragment.id);
      if (known) return known;
      // An id may come after the first fragment of its call.
      const isUnnamed = hasIndex && byIndex !== undefined && !this.states.get(byIndex)!.isNamedByServer;
      return isUnnamed && this.maySucceed(byIndex, fragment.name) ? byIndex : undefined;
    }
    const candidate = hasIndex ? byIndex : this.last;
    if (!candidate || fragment.name === '') return candidate;
    const isNext = fragment.name !== candidate.name || (fragment.text !== '' && this.isComplete(candidate));
    return candidate.name !== '' && isNext ? undefined : candidate;
  }

  /** Whether a fragment with the first id of an index goes on with its call. */
  private maySucceed(call: Call, name: string): boolean {
    if (name === '' || call.name === '') return true;
    return name === call.name && !this.isComplete(call);
  }

  private newCall({ id, index, name }: Fragment): Call {
    const call = this.begin(id, name);
    this.states.set(call, { isNamedByServer: id !== '', end: new ArgumentsEnd() });
    this.byIndex.set(index, call);
    this.last = call;
    return call;
  }
}
