import { workInSlices } from '@inference/http';
import { type MeterCounts } from '@inference/metering';
import { estimateTokens } from '@inference/tokens';
import { InvalidValueError } from '../../proxy/request/request.errors';
import { laterUsage, readReportedUsage, type ReportedUsage } from '../../proxy/usage/reported-usage';
import { type TaskEndpoint } from '../../upstreams/upstream';
import { type Fields, type Task, type TaskAnswer, type TaskEvents } from '../task';
import { audioDuration } from './audio-duration';
import { Form, readForm } from './form-data';
import { fieldsOf, readObject } from './json-request';

const BINDING = ['model', 'file', 'prompt', 'response_format', 'stream'];
const MOST_MODEL_CHARS = 200;
/** Tokens of a second of audio: the most that models in use count, Whisper's frames, and OpenAI's. */
const MOST_INPUT_TOKENS = 50;
const USUAL_INPUT_TOKENS = 10;
/** Far above what people say in a second. */
const MOST_OUTPUT_TOKENS = 10;
/** An answer of any length has room for so many, with the times of its words. */
const LEAST_OUTPUT_TOKENS = 2_048;
/** Formats that are no JSON. */
const TEXT_FORMATS = new Set(['text', 'srt', 'vtt']);
/** Of `stream`; servers read other texts in different ways. */
const NO_STREAM = new Set([undefined, '', 'false', '0']);
/** A number, which OpenAI has also written as a text. */
const SECONDS = /^\d{1,7}(\.\d{1,9})?$/;

/** Writes down or translates speech, charged by the seconds of audio or by the tokens that the server reports. */
const transcription = (endpoint: TaskEndpoint): Task => ({
  endpoint,
  counts: 'minutes of audio, tokens of its output or requests',
  pricedBy: ['per_audio_minute', 'per_million_output_tokens', 'per_million_tokens', 'per_request'],
  async read({ bytes, contentType, requireClient }, onModel) {
    const form = new Form(bytes, readForm(bytes, contentType), BINDING);
    const model = form.text('model');
    onModel(model);
    if (!model) throw new InvalidValueError({ path: 'model', message: 'is missing' });
    if (model.length > MOST_MODEL_CHARS || model.includes('\0'))
      throw new InvalidValueError({
        path: 'model',
        message: `must be a text of at most ${MOST_MODEL_CHARS} characters`,
      });
    const file = form.file('file');
    if (!file) throw new InvalidValueError({ path: 'file', message: 'must be a file' });
    if (file.length === 0) throw new InvalidValueError({ path: 'file', message: 'must not be empty' });
    const { seconds, mostSeconds } = await workInSlices(file.length, audioDuration(file), requireClient);
    const prompt = form.text('prompt') ?? '';
    const isText = TEXT_FORMATS.has(form.text('response_format') ?? '');
    return {
      model,
      contentType,
      bodyFor: (upstreamModel) => (upstreamModel === model ? bytes : form.with('model', upstreamModel)),
      bounds: {
        inputTokens: mostSeconds * MOST_INPUT_TOKENS + Buffer.byteLength(prompt),
        outputTokens: Math.max(LEAST_OUTPUT_TOKENS, mostSeconds * MOST_OUTPUT_TOKENS),
        counts: { audio_second: mostSeconds },
      },
      asked: () => ({
        audio_second: seconds,
        input: estimateTokens(prompt),
        input_audio: seconds * USUAL_INPUT_TOKENS,
      }),
      read: (body) => (isText ? textAnswer(body) : jsonAnswer(body)),
      isStream: !NO_STREAM.has(form.text('stream')?.toLowerCase()),
      events: () => new TranscriptEvents(),
    };
  },
});

export const TRANSCRIPTION = transcription('audio/transcriptions');
export const TRANSLATION = transcription('audio/translations');

const written = (text: string): MeterCounts => ({ output: estimateTokens(text) });

/** Subtitles and plain text report nothing. An error with a status of success is JSON. */
function textAnswer(body: Buffer): TaskAnswer | null {
  const text = body.toString('utf8');
  const isError = text.startsWith('{') && Boolean(fieldsOf(parsed(text)).error);
  return isError ? null : { reported: null, produced: written(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const jsonAnswer = (body: Buffer) =>
  readObject(body, (answer) =>
    typeof answer.text === 'string' ? { reported: reportedBy(answer), produced: written(answer.text) } : null,
  );

/** The usage; of Whisper's detailed answers the `duration`. */
function reportedBy(answer: Fields): ReportedUsage | null {
  const reported = readReportedUsage(answer);
  const { duration } = answer;
  if (reported?.others.audio_second !== undefined || !SECONDS.test(String(duration))) return reported;
  const others = { ...reported?.others, audio_second: Math.ceil(Number(duration)) };
  return { input: null, output: null, serviceTier: null, fault: null, ...reported, others };
}

/** OpenAI's `transcript.text.delta` and `.done`; vLLM's chunks, which end with a usage and `[DONE]`. */
class TranscriptEvents implements TaskEvents {
  private hasEnded = false;
  private usage: ReportedUsage | null = null;
  private deltas = '';
  private whole: string | undefined;

  get answer(): TaskAnswer | null {
    return this.hasEnded ? { reported: this.usage, produced: written(this.whole ?? this.deltas) } : null;
  }

  get begun(): TaskAnswer {
    return { reported: this.usage, produced: written(this.deltas) };
  }

  read(event: Fields): boolean {
    const { type, text, delta, choices } = event;
    const choice = fieldsOf(Array.isArray(choices) ? (choices as unknown[])[0] : undefined);
    for (const part of [delta, fieldsOf(choice.delta).content])
      if (typeof part === 'string') this.deltas += part;
    const usage = reportedBy(event);
    if (usage) this.usage = laterUsage(this.usage, usage);
    const isDone = type === 'transcript.text.done' || typeof choice.finish_reason === 'string';
    if (isDone && typeof text === 'string') this.whole = text;
    if (isDone) this.hasEnded = true;
    return isDone || usage !== null;
  }
}
