import { CallAssembly, contentPieces, fieldsOf } from '@inference/model-calls';
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

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Puts the chunks of a chat server in order. */
export class AnswerParts {
  readonly parts: Part[] = [];
  finishReason: string | null = null;
  /** Which of the stop texts ended the answer, where the server says it. */
  stopText: string | null = null;
  usage: Fields | null = null;
  serviceTier: string | null = null;
  private current = -1;
  private readonly calls = new CallAssembly<Part>((id, name) => this.newPart('call', { id, name }));

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
    for (const { kind, text } of contentPieces(delta.content)) this.append(kind, text);
    this.append('refusal', textOf(delta.refusal));
    for (const call of listOf(delta.tool_calls)) this.readCall(call);
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

  private append(kind: Exclude<Part['kind'], 'call'>, text: string): void {
    if (text === '') return;
    const last = this.parts.at(-1);
    this.add(last?.kind === kind ? last : this.newPart(kind), text);
  }

  private readCall(fragment: unknown): void {
    const { call, text } = this.calls.read(fragment);
    this.advance(false);
    this.add(call, text);
  }

  private newPart(kind: Part['kind'], { id = '', name = '' } = {}): Part {
    const part: Part = {
      kind,
      index: this.parts.length,
      text: '',
      id,
      name,
      isCut: false,
    };
    this.parts.push(part);
    this.advance(false);
    return part;
  }

  private add(part: Part, text: string): void {
    if (text === '') return;
    if (part.kind === 'call') this.calls.add(part, text);
    else part.text += text;
    if (part.index === this.current) this.listener.add(part, text);
  }

  /** Opens the parts that may be opened: a call whose arguments are not complete may go on, and the others wait. */
  private advance(isEnd: boolean): void {
    for (let next = this.parts[this.current + 1]; next; next = this.parts[this.current + 1]) {
      const open = this.parts[this.current];
      const mayGoOn = open?.kind === 'call' && !this.calls.isComplete(open);
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
