import { inputTokensOf, outputTokensOf } from '@inference/metering';
import { dataOf, SseEventReader } from '@inference/sse';
import { type OpenAiErrorBody, openAiErrorBody } from '../../errors/openai-error';
import { laterUsage, readReportedUsage, type ReportedUsage } from '../../proxy/usage/reported-usage';
import { type TranslatedAnswer } from '../../upstreams/upstream-request';
import { type Fields } from '../fields';
import { readBody, type ReadBody } from '../json';

const MILLIS_PER_SECOND = 1_000;

/** What a server of another protocol has answered. */
interface AnsweredChat {
  id: unknown;
  model: unknown;
  usage: ReportedUsage | null;
}

/** Writes a chat completion, whole or as the chunks of a stream. */
class ChatWriter {
  readonly answered: AnsweredChat = { id: null, model: null, usage: null };
  private readonly created = Math.floor(Date.now() / MILLIS_PER_SECOND);
  private written = '';
  private details: Fields[] = [];
  private calls = 0;

  whole(message: Fields, finish: Fields): Buffer {
    const { id, model, usage } = this.answered;
    const answer = {
      ...{ id, object: 'chat.completion', created: this.created, model },
      choices: [{ index: 0, message: { role: 'assistant', ...message }, logprobs: null, ...finish }],
      ...(usage && usageOf(usage)),
    };
    return Buffer.from(JSON.stringify(answer));
  }

  /** @param finish why the answer ends */
  chunk(delta: Fields, finish: Fields = { finish_reason: null }): void {
    const details = this.details.length > 0 ? { reasoning_details: this.details } : {};
    this.details = [];
    const choice = { index: 0, delta: { ...delta, ...details }, logprobs: null, ...finish };
    this.write({ ...this.head(), choices: [choice] });
  }

  /** Begins the answer. A usage so far stands where the meter reads it, but clients that add up usages do not. */
  begin(): void {
    const { usage } = this.answered;
    this.chunk(
      { role: 'assistant', content: '' },
      { finish_reason: null, ...(usage && { usage: usageOf(usage).usage }) },
    );
  }

  /** Begins the call of a tool. Returns its place among the calls. */
  call(id: unknown, name: unknown, text: string): number {
    const index = this.calls++;
    this.chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: text } }] });
    return index;
  }

  /** What only its maker can read of a thought. It is sent with what follows: an answer is not longer by it. */
  detail(detail: Fields): void {
    this.details.push(detail);
  }

  end(): void {
    const { usage } = this.answered;
    if (usage) this.write({ ...this.head(), choices: [], ...usageOf(usage) });
    this.written += 'data: [DONE]\n\n';
  }

  fail(given: unknown): void {
    this.write(chatError(500, given, 'The answer of the model’s server broke off.'));
  }

  /** Returns and forgets the events that were written since the last time. */
  take(): Buffer {
    const { written } = this;
    this.written = '';
    return Buffer.from(written);
  }

  private head(): Fields {
    const { id, model } = this.answered;
    return { id, object: 'chat.completion.chunk', created: this.created, model };
  }

  private write(chunk: object): void {
    this.written += `data: ${JSON.stringify(chunk)}\n\n`;
  }
}

/** Translates the answer of a server to a chat completion. */
export abstract class AnswerForChat implements TranslatedAnswer {
  protected readonly writer = new ChatWriter();
  private readonly events = new SseEventReader();

  async plain(status: number, body: Buffer): Promise<Buffer> {
    const read = await bodyOf(body);
    if (!read) return body;
    const { fields } = read;
    if (status >= 300)
      return fields.error ? Buffer.from(JSON.stringify(chatError(status, fields.error))) : body;
    this.readReport(fields);
    Object.assign(this.writer.answered, { id: fields.id, model: fields.model });
    // What is no answer is read as such.
    return this.whole(fields, read.write) ?? body;
  }

  pass(bytes: Buffer): Buffer {
    for (const event of this.events.push(bytes)) this.readData(dataOf(event));
    return this.writer.take();
  }

  end(): Buffer {
    for (const event of this.events.flush()) this.readData(dataOf(event));
    return this.writer.take();
  }

  /** Reads a whole answer; undefined if it is none. */
  protected abstract whole(answer: Fields, write: ReadBody['write']): Buffer | undefined;

  protected abstract readEvent(event: Fields): void;

  /** @param report with a usage */
  protected readReport(report: object): void {
    const { answered } = this.writer;
    const usage = readReportedUsage(report);
    if (usage) answered.usage = laterUsage(answered.usage, usage);
  }

  private readData(data: string): void {
    if (!data.trimStart().startsWith('{')) return;
    let event: Fields;
    try {
      event = JSON.parse(data) as Fields;
    } catch {
      return;
    }
    this.readEvent(event);
  }
}

async function bodyOf(body: Buffer): Promise<ReadBody | undefined> {
  try {
    return await readBody(body);
  } catch {
    return undefined;
  }
}

/** An error of another protocol in OpenAI's shape. */
function chatError(
  status: number,
  given: unknown,
  otherwise = `The model’s server refused the request (status ${status}).`,
): OpenAiErrorBody {
  const { message, type, code, param } = (given ?? {}) as Record<string, unknown>;
  const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
  const { error } = openAiErrorBody(status, textOf(message) ?? otherwise, {
    code: textOf(code),
    param: textOf(param),
  });
  return { error: { ...error, type: textOf(type) ?? error.type } };
}

/** A usage so that the meter reads the same counts of it. */
function usageOf({ input, output, others, serviceTier }: ReportedUsage): Fields {
  const prompt = input && inputTokensOf(input);
  const completion = output && outputTokensOf(output);
  const { cached_input: cached = 0, cache_write: written = 0, cache_write_1h: hour = 0 } = input ?? {};
  const usage = {
    ...(prompt !== null && {
      prompt_tokens: prompt,
      prompt_tokens_details: {
        cached_tokens: cached,
        cache_write_tokens: written + hour,
        audio_tokens: input?.input_audio ?? 0,
      },
    }),
    ...(completion !== null && {
      completion_tokens: completion,
      completion_tokens_details: {
        reasoning_tokens: output?.reasoning ?? 0,
        audio_tokens: output?.output_audio ?? 0,
      },
    }),
    ...(prompt !== null && completion !== null && { total_tokens: prompt + completion }),
    ...(hour > 0 && {
      cache_creation: { ephemeral_5m_input_tokens: written, ephemeral_1h_input_tokens: hour },
    }),
    ...(others.search && { server_tool_use: { web_search_requests: others.search } }),
  };
  return { usage, ...(serviceTier !== null && { service_tier: serviceTier }) };
}
