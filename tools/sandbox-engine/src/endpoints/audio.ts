import { sendJsonAnswer } from '../http/json-answer';
import { ApiError } from '../http/errors';
import { wrongType } from '../http/validation';
import { hashText, textOf } from '../text/text';
import type { ModelRequest } from './model-request';
import { requireKind } from './models';
import { requiredText } from './tasks';

const HEADER_BYTES = 44;
const SAMPLE_RATE = 8_000;
/** Of a spoken character. */
const MILLIS_OF_CHARACTER = 60;
const TONE_HERTZ = 440;
const LOUDNESS = 8_000;
/** Of audio that is no WAV. */
const USUAL_BYTES_PER_SECOND = 4_000;
const WORDS_OF_SECOND = 2;
const MOST_WORDS = 10_000;

/** Answers `POST /v1/audio/speech` with a tone in a WAV file, as long as the text needs. */
export function answerSpeech(request: ModelRequest): void {
  const { model, res, served } = request;
  requireKind(model, 'speech');
  const input = requiredText(request, 'input');
  const samples = Math.ceil((input.length * MILLIS_OF_CHARACTER * SAMPLE_RATE) / 1_000);
  const audio = Buffer.alloc(HEADER_BYTES + 2 * samples);
  audio.write('RIFF', 0);
  audio.writeUInt32LE(audio.length - 8, 4);
  audio.write('WAVEfmt ', 8);
  audio.writeUInt32LE(16, 16);
  audio.writeUInt16LE(1, 20);
  audio.writeUInt16LE(1, 22);
  audio.writeUInt32LE(SAMPLE_RATE, 24);
  audio.writeUInt32LE(2 * SAMPLE_RATE, 28);
  audio.writeUInt16LE(2, 32);
  audio.writeUInt16LE(16, 34);
  audio.write('data', 36);
  audio.writeUInt32LE(2 * samples, 40);
  for (let at = 0; at < samples; at += 1)
    audio.writeInt16LE(
      Math.round(LOUDNESS * Math.sin((2 * Math.PI * TONE_HERTZ * at) / SAMPLE_RATE)),
      HEADER_BYTES + 2 * at,
    );
  served.countPrompt(input.length);
  res.writeHead(200, { 'Content-Type': 'audio/wav' }).end(audio);
}

/** Answers `POST /v1/audio/transcriptions` and `/v1/audio/translations`: two words a second, which depend on the file. */
export function answerTranscription(request: ModelRequest): void {
  const { body, model, res, served, behaviour } = request;
  requireKind(model, 'audio');
  const { file, response_format: format = 'json' } = body;
  if (!Buffer.isBuffer(file)) throw wrongType('file', 'a file', file);
  const seconds = Math.ceil(secondsOf(file));
  const words = Math.min(MOST_WORDS, Math.max(1, seconds * WORDS_OF_SECOND));
  const text = textOf(hashText(file.toString('latin1'), model.seed), words);
  if (format === 'text') {
    served.countCompletion(words);
    res.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8' }).end(`${text}\n`);
    return;
  }
  if (format !== 'json' && format !== 'verbose_json')
    throw new ApiError(
      400,
      "Supported values are: 'json', 'text', 'verbose_json'.",
      'response_format',
      'invalid_value',
    );
  const usage = { type: 'duration', seconds: behaviour.usage === 'zero' ? 0 : seconds };
  const json = JSON.stringify({
    ...(format === 'verbose_json' && {
      task: 'transcribe',
      language: 'english',
      duration: seconds,
      segments: [],
    }),
    text,
    ...(behaviour.usage !== 'none' && { usage }),
  });
  sendJsonAnswer(request, { json, counts: { prompt: 0, completion: words }, steps: 1 });
}

function secondsOf(file: Buffer): number {
  const isWav = file.length > HEADER_BYTES && file.toString('latin1', 0, 4) === 'RIFF';
  const bytesPerSecond = isWav ? file.readUInt32LE(28) : 0;
  return file.length / (bytesPerSecond || USUAL_BYTES_PER_SECOND);
}
