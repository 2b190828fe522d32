import { newId } from '@inference/database';
import { CallAssembly, type CallInParts, contentPieces } from './chat-parts';

/** A message of a chat, in OpenAI's shape. */
export type Message =
  | { role: 'system' | 'user'; content: string }
  | { role: 'assistant'; content: string | null; tool_calls?: ToolCall[] }
  | { role: 'tool'; tool_call_id: string; content: string };

/** A call of a tool by a model, in OpenAI's shape. */
export interface ToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

/** Token usage that the gateway reports, in OpenAI's shape. */
export interface Usage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
}

interface AnswerError {
  /** Stable, for programs. */
  code: string;
  message: string;
}

interface Chunk {
  choices?: {
    index?: unknown;
    delta?: { content?: unknown; refusal?: unknown; tool_calls?: unknown } | null;
    finish_reason?: unknown;
  }[];
  usage?: unknown;
  error?: { code?: unknown; message?: unknown } | null;
}

const DONE = '[DONE]';
const MAX_CALL_ID_CHARS = 200;
const HIGH_SURROGATE = /[\ud800-\udbff]$/;

/** Assembles a streamed chat completion: returns the text in pieces and collects everything else until the end. */
export class ModelAnswer {
  finishReason: string | null = null;
  usage: Usage | null = null;
  /** Id of the call in the request log of the account that pays. */
  requestId: string | null = null;
  error: AnswerError | null = null;
  private saidDone = false;
  /** High surrogate whose low surrogate comes with the next piece. */
  private half = '';
  private readonly calls: CallInParts[] = [];
  private readonly assembly = new CallAssembly<CallInParts>((given, name) => {
    const id = textOf(given).toWellFormed();
    const isUsable = id !== '' && id.length <= MAX_CALL_ID_CHARS;
    const call = { id: isUsable ? id : newId('call'), name, text: '' };
    this.calls.push(call);
    return call;
  });

  /** Whether the answer is complete and billed: the gateway sends the end of a stream only after settlement. */
  get isComplete(): boolean {
    return this.error === null && (this.saidDone || this.finishReason !== null);
  }

  /** In the order of the model. An interrupted call has only the beginning of its arguments. */
  get toolCalls(): ToolCall[] {
    return this.calls.map(({ id, name, text }) => ({
      id,
      type: 'function',
      function: { name: textOf(name).toWellFormed(), arguments: textOf(text).toWellFormed() },
    }));
  }

  /** Reads the data of one event; returns the text that it adds. */
  read(data: string): string {
    if (data === DONE) {
      this.saidDone = true;
      return '';
    }
    const chunk = parseChunk(data);
    if (!chunk) return '';
    if (chunk.error) this.error = readError(chunk.error);
    if (chunk.usage) this.usage = readUsage(chunk.usage);
    const choice = chunk.choices?.find(({ index }) => index === undefined || index === 0);
    if (!choice) return '';
    if (typeof choice.finish_reason === 'string' && choice.finish_reason)
      this.finishReason = choice.finish_reason;
    const { content, refusal, tool_calls: fragments } = choice.delta ?? {};
    for (const fragment of Array.isArray(fragments) ? (fragments as unknown[]) : []) {
      const { call, text } = this.assembly.read(fragment);
      this.assembly.add(call, text);
    }
    const pieces = contentPieces(content).filter(({ kind }) => kind !== 'reasoning');
    return this.whole(textOf(pieces.map(({ text }) => text).join('')) + textOf(refusal));
  }

  /** Holds an unpaired surrogate at the end back, since the database cannot store it. */
  private whole(text: string): string {
    const joined = this.half + text;
    this.half = HIGH_SURROGATE.exec(joined)?.[0] ?? '';
    return joined.slice(0, joined.length - this.half.length).toWellFormed();
  }
}

/** PostgreSQL keeps no NUL. */
const textOf = (value: unknown) => (typeof value === 'string' ? value.replaceAll('\0', '') : '');

function parseChunk(data: string): Chunk | null {
  try {
    const chunk: unknown = JSON.parse(data);
    return chunk !== null && typeof chunk === 'object' ? chunk : null;
  } catch {
    return null;
  }
}

function readError({ code, message }: { code?: unknown; message?: unknown }): AnswerError {
  return {
    code: textOf(code).toWellFormed() || 'model_error',
    message: textOf(message).toWellFormed() || 'The model broke off.',
  };
}

const MOST_TOKENS = 1_000_000_000;
const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= MOST_TOKENS;

function readUsage(usage: unknown): Usage | null {
  const { prompt_tokens: prompt, completion_tokens: completion } = usage as Record<string, unknown>;
  if (!isCount(prompt)) return null;
  const completionTokens = isCount(completion) ? completion : 0;
  return {
    prompt_tokens: prompt,
    completion_tokens: completionTokens,
    total_tokens: prompt + completionTokens,
  };
}
