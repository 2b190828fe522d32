import { usageIn } from '../../proxy/usage/reported-usage';

/** A text, a thought, a refusal or the call of a tool. */
export interface Part {
  kind: 'text' | 'reasoning' | 'refusal' | 'call';
  /** Place in the answer, from 0. */
  index: number;
  /** Of a call its arguments, normally JSON. */
  text: string;
  /** Of a call; made up when it is opened, unless the server has named it. */
  id: string;
  isNamedByServer: boolean;
  /** Of a call, empty until known. */
  name: string;
  /** Whether the answer ended within the part, at a limit or a filter. Known when it is closed. */
  isCut: boolean;
}

/** Hears of the parts one after another: a part is opened when the one before is closed. */
export interface PartListener {
  open(part: Part): void;
  add(part: Part, text: string): void;
  close(part: Part): void;
}

type Fields = Record<string, unknown>;

/** Reasons for which an answer ends before the model has ended it. */
const CUTS = new Set(['length', 'content_filter']);

const fieldsOf = (value: unknown): Fields =>
  value !== null && typeof value === 'object' ? (value as Fields) : {};
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

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

/**
 * Puts the chunks of a chat server in order. Servers differ in how they name the calls of tools: a new id is a new call, a known id or
 * index goes on with it, and without both the last call goes on, unless it is complete and another name begins.
 */
export class AnswerParts {
  readonly parts: Part[] = [];
  finishReason: string | null = null;
  /** Which of the stop texts ended the answer, where the server says it. */
  stopText: string | null = null;
  usage: Fields | null = null;
  serviceTier: string | null = null;
  private current = -1;
  private readonly callsById = new Map<string, Part>();
  private readonly callsByIndex = new Map<unknown, Part>();
  private readonly ends = new Map<Part, ArgumentsEnd>();
  private lastCall: Part | undefined;

  /** @param requestId makes the ids of calls unique that the server does not name */
  constructor(
    private readonly listener: PartListener,
    private readonly requestId: string,
  ) {}

  /** Reads a chunk of a stream or a whole answer. */
  read(chunk: unknown): void {
    const { choices, service_tier: serviceTier } = fieldsOf(chunk);
    const choice = fieldsOf(listOf(choices)[0]);
    this.readUsage(usageIn(fieldsOf(chunk)));
    if (typeof serviceTier === 'string') this.serviceTier = serviceTier;
    const delta = fieldsOf(choice.delta ?? choice.message);
    this.append('reasoning', textOf(delta.reasoning_content) || textOf(delta.reasoning));
    this.readContent(delta.content);
    this.append('refusal', textOf(delta.refusal));
    for (const call of listOf(delta.tool_calls)) this.readCall(fieldsOf(call));
    if (delta.function_call) this.readCall({ index: 0, function: delta.function_call });
    this.readFinish(choice);
  }

  /** No more chunks come. */
  end(): void {
    const isCut = this.finishReason !== null && CUTS.has(this.finishReason);
    const last = this.parts.at(-1);
    if (last) last.isCut = isCut;
    this.advance(true);
    if (last) this.listener.close(last);
  }

  private readUsage(usage: unknown): void {
    if (usage === null || typeof usage !== 'object') return;
    const { prompt_tokens: input, completion_tokens: output } = usage as Fields;
    // Zeros behind the real figures are placeholders.
    if (this.usage === null || input || output) this.usage = usage as Fields;
  }

  private readFinish(choice: Fields): void {
    const { finish_reason: reason, stop_reason: stopReason, matched_stop: matchedStop } = choice;
    if (typeof reason !== 'string' || reason === '') return;
    this.finishReason ??= reason;
    const stopText = [stopReason, matchedStop].find((text) => typeof text === 'string');
    if (typeof stopText === 'string') this.stopText = stopText;
  }

  /** A text, or parts as some servers send them. */
  private readContent(content: unknown): void {
    this.append('text', textOf(content));
    for (const entry of listOf(content)) {
      this.append('text', textOf(entry));
      const { type, text, thinking, refusal } = fieldsOf(entry);
      if (type === 'thinking' || type === 'reasoning')
        for (const thought of Array.isArray(thinking) ? (thinking as unknown[]) : [thinking ?? text])
          this.append('reasoning', textOf(thought) || textOf(fieldsOf(thought).text));
      else if (type === 'refusal') this.append('refusal', textOf(refusal));
      else this.append('text', textOf(text));
    }
  }

  private append(kind: Exclude<Part['kind'], 'call'>, text: string): void {
    if (text === '') return;
    const last = this.parts.at(-1);
    this.add(last?.kind === kind ? last : this.newPart(kind), text);
  }

  private readCall({ id, index, function: called }: Fields): void {
    const { name, arguments: given } = fieldsOf(called);
    const fragment = { id: textOf(id), index, name: textOf(name), text: argumentsOf(given) };
    const call = this.callOf(fragment) ?? this.newCall(fragment);
    if (fragment.id !== '') {
      this.callsById.set(fragment.id, call);
      call.isNamedByServer = true;
    }
    // Repeated in each chunk by some servers.
    if (call.name === '') call.name = fragment.name;
    this.advance(false);
    this.add(call, fragment.text);
  }

  /** The call that a fragment goes on with; undefined if it begins one. */
  private callOf(fragment: { id: string; index: unknown; name: string; text: string }): Part | undefined {
    const byIndex = this.callsByIndex.get(fragment.index);
    const hasIndex = fragment.index !== undefined && fragment.index !== null;
    if (fragment.id !== '') {
      const known = this.callsById.get(fragment.id);
      if (known) return known;
      // An id may come after the first fragment of its call.
      const isUnnamed = hasIndex && byIndex?.isNamedByServer === false;
      return isUnnamed && this.maySucceed(byIndex, fragment.name) ? byIndex : undefined;
    }
    const candidate = hasIndex ? byIndex : this.lastCall;
    if (!candidate || fragment.name === '') return candidate;
    const isNext = fragment.name !== candidate.name || (fragment.text !== '' && this.isComplete(candidate));
    return candidate.name !== '' && isNext ? undefined : candidate;
  }

  /** Whether a fragment with the first id of an index goes on with its call. */
  private maySucceed(call: Part, name: string): boolean {
    if (name === '' || call.name === '') return true;
    return name === call.name && !this.isComplete(call);
  }

  private isComplete(call: Part): boolean {
    return this.ends.get(call)?.isReached(call.text) ?? false;
  }

  private newCall({ id, index, name }: { id: string; index: unknown; name: string }): Part {
    const call = this.newPart('call', { id, name });
    this.ends.set(call, new ArgumentsEnd());
    this.callsByIndex.set(index, call);
    this.lastCall = call;
    return call;
  }

  private newPart(kind: Part['kind'], { id = '', name = '' } = {}): Part {
    const part: Part = {
      kind,
      index: this.parts.length,
      text: '',
      id,
      isNamedByServer: id !== '',
      name,
      isCut: false,
    };
    this.parts.push(part);
    this.advance(false);
    return part;
  }

  private add(part: Part, text: string): void {
    if (text === '') return;
    part.text += text;
    this.ends.get(part)?.push(text);
    if (part.index === this.current) this.listener.add(part, text);
  }

  /** Opens the parts that may be opened: a call whose arguments are not complete may go on, and the others wait. */
  private advance(isEnd: boolean): void {
    for (let next = this.parts[this.current + 1]; next; next = this.parts[this.current + 1]) {
      const open = this.parts[this.current];
      const mayGoOn = open?.kind === 'call' && !this.isComplete(open);
      const isUnnamed = next.kind === 'call' && next.name === '';
      if (!isEnd && (mayGoOn || isUnnamed)) return;
      if (open) this.listener.close(open);
      this.current += 1;
      if (next.kind === 'call') next.id ||= `call_${this.requestId.replace(/^req_/, '')}_${next.index}`;
      this.listener.open(next);
      if (next.text !== '') this.listener.add(next, next.text);
    }
  }
}
