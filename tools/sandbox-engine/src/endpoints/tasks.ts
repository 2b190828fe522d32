import { crc32, deflateSync } from 'node:zlib';
import { nextId, nowSeconds } from '../http/respond';
import { sendJsonAnswer } from '../http/json-answer';
import { isObject, missing, optionalNumber, wrongType } from '../http/validation';
import { PromptReading } from '../text/prompt';
import { numberAt } from '../text/text';
import { usageJson } from './generation-parameters';
import type { ModelRequest } from './model-request';
import { requireKind } from './models';

const HIGHEST = 2 ** 32;

/** The text at `name`. Throws a 400 if it is none. */
export function requiredText({ body }: ModelRequest, name: string): string {
  const value = body[name];
  if (value === undefined) throw missing(name);
  if (typeof value !== 'string') throw wrongType(name, 'a string', value);
  return value;
}

/** Answers `POST /v1/rerank` in Jina's shape. The scores depend on nothing but the texts. */
export function answerRerank(request: ModelRequest): void {
  const { body, bodyBytes, model } = request;
  requireKind(model, 'rerank');
  const query = requiredText(request, 'query');
  const { documents } = body;
  if (!Array.isArray(documents)) throw wrongType('documents', 'an array of strings', documents);
  let words = 0;
  const results = documents.map((document: unknown, index) => {
    const text = isObject(document) ? document['text'] : document;
    if (typeof text !== 'string') throw wrongType(`documents[${index}]`, 'a string', document);
    const reading = new PromptReading(model.seed);
    reading.read(query);
    reading.read(text);
    words += reading.words;
    return { index, relevance_score: numberAt(reading.hash, 0) / HIGHEST, document: { text } };
  });
  results.sort((one, other) => other.relevance_score - one.relevance_score);
  const most = optionalNumber(body, { name: 'top_n', integer: true, min: 1, max: documents.length || 1 });
  const counts = { prompt: Math.min(words, bodyBytes * (documents.length + 1)), completion: 0 };
  const usage = usageJson(request, counts, 'prompt-only');
  const json = `{"model":${model.nameJson},"results":${JSON.stringify(results.slice(0, most))}${usage === undefined ? '' : `,"usage":${usage}`}}`;
  sendJsonAnswer(request, { json, counts, steps: 1 });
}

/** Answers `POST /v1/moderations`: a text with the word "violence" is flagged. */
export function answerModeration(request: ModelRequest): void {
  const { body, model } = request;
  requireKind(model, 'moderation');
  if (body['input'] === undefined) throw missing('input');
  const inputs: unknown[] = Array.isArray(body['input']) ? (body['input'] as unknown[]) : [body['input']];
  const results = inputs.map((input) => {
    const violence = /\bviolence\b/i.test(JSON.stringify(input));
    const score = violence ? 0.99 : 0.01;
    return {
      flagged: violence,
      categories: { violence },
      category_scores: { violence: score },
      category_applied_input_types: { violence: ['text'] },
    };
  });
  const json = `{"id":"${nextId('modr-')}","model":${model.nameJson},"results":${JSON.stringify(results)}}`;
  sendJsonAnswer(request, { json, counts: { prompt: 0, completion: 0 }, steps: 1 });
}

/** Answers `POST /v1/images/generations` with squares of one colour, which depends on the prompt. */
export function answerImages(request: ModelRequest): void {
  const { body, model } = request;
  requireKind(model, 'image');
  const reading = new PromptReading(model.seed);
  reading.read(requiredText(request, 'prompt'));
  const images = optionalNumber(body, { name: 'n', integer: true, min: 1, max: 10 }) ?? 1;
  const data = Array.from({ length: images }, (_, index) => ({
    b64_json: square(numberAt(reading.hash, index)).toString('base64'),
  }));
  const json = JSON.stringify({ created: nowSeconds(), data, output_format: 'png', size: '64x64' });
  sendJsonAnswer(request, { json, counts: { prompt: reading.words, completion: 0 }, steps: 1 });
}

const SIDE_PIXELS = 64;
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Eight bits for each of red, green and blue. */
const FORMAT = [8, 2, 0, 0, 0];

/** A PNG. The lower 24 bits of the number are the colour. */
function square(colour: number): Buffer {
  const pixel = [colour >>> 16, colour >>> 8, colour].map((part) => part & 0xff);
  const row = [0, ...Array.from({ length: SIDE_PIXELS }, () => pixel).flat()];
  const rows = Array.from({ length: SIDE_PIXELS }, () => row).flat();
  const size = Buffer.alloc(8);
  size.writeUInt32BE(SIDE_PIXELS, 0);
  size.writeUInt32BE(SIDE_PIXELS, 4);
  const header = Buffer.concat([size, Buffer.from(FORMAT)]);
  const pixels = deflateSync(Buffer.from(rows));
  return Buffer.concat([
    PNG,
    pngChunk('IHDR', header),
    pngChunk('IDAT', pixels),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

function pngChunk(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), content]);
  const chunk = Buffer.alloc(named.length + 8);
  chunk.writeUInt32BE(content.length, 0);
  named.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(named), named.length + 4);
  return chunk;
}
