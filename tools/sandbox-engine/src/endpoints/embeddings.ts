import { usageJson } from './generation-parameters';
import type { ModelRequest, TokenCounts } from './model-request';
import { requireKind } from './models';
import { PromptReading } from '../text/prompt';
import { numberAt } from '../text/text';
import { readInputs } from './text-input';
import { type JsonObject, type NumberRule, optionalNumber, wrongType, wrongValue } from '../http/validation';
import { sendJsonAnswer } from '../http/json-answer';

const DEFAULT_DIMENSIONS = 64;
const DIMENSIONS: NumberRule = { name: 'dimensions', integer: true, min: 1, max: 4_096 };
const FORMATS = ['float', 'base64'];

/** Answers `POST /v1/embeddings`. */
export function answerEmbeddings(request: ModelRequest): void {
  const { body, bodyBytes, model } = request;
  requireKind(model, 'embedding');
  const inputs = readInputs(body, 'input');
  const dimensions = optionalNumber(body, DIMENSIONS) ?? DEFAULT_DIMENSIONS;
  const render = readFormat(body) === 'base64' ? base64Json : floatJson;
  let words = 0;
  const items = inputs.map((input, index) => {
    const reading = new PromptReading(model.seed);
    input.readInto(reading);
    words += reading.words;
    const vector = render(unitVector(reading.hash, dimensions));
    return `{"object":"embedding","index":${index},"embedding":${vector}}`;
  });
  const counts: TokenCounts = { prompt: Math.min(words, bodyBytes), completion: 0 };
  const usage = usageJson(request, counts, 'prompt-only');
  const json = `{"object":"list","data":[${items.join()}],"model":${model.nameJson}${usage === undefined ? '' : `,"usage":${usage}`}}`;
  sendJsonAnswer(request, { json, counts, steps: 1 });
}

function readFormat(body: JsonObject): string {
  const format = body['encoding_format'];
  if (format === undefined || format === null) return 'float';
  if (typeof format !== 'string') throw wrongType('encoding_format', 'a string', format);
  if (!FORMATS.includes(format)) throw wrongValue('encoding_format', format, FORMATS);
  return format;
}

/** A unit vector, the same for the same seed. Its values are uniformly distributed around zero before normalization. */
function unitVector(seed: number, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  let squares = 0;
  for (let i = 0; i < dimensions; i += 1) {
    const value = (numberAt(seed, i) + 0.5) / 2 ** 31 - 1;
    vector[i] = value;
    squares += value * value;
  }
  const scale = 1 / Math.sqrt(squares);
  return vector.map((value) => value * scale);
}

function floatJson(vector: Float32Array): string {
  return `[${vector.join()}]`;
}

/** Base64 of little-endian 32-bit floats, the format that OpenAI's clients read. */
function base64Json(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * 4);
  vector.forEach((value, index) => bytes.writeFloatLE(value, index * 4));
  return `"${bytes.toString('base64')}"`;
}
