import { AT_ONCE_BYTES } from '@inference/http';
import { estimateTokens } from '@inference/tokens';
import { type ProxyRequest } from '../request/proxy-request';
import { audioTokens, imageTokens } from './media-tokens';
import { textsIn } from './texts-in';

type Fields = Record<string, unknown>;

/** Fields that steer the model and are no part of its prompt. Numbers and flags need no entry. */
const PARAMETERS = new Set([
  'model',
  'stream_options',
  'stop',
  'logit_bias',
  'user',
  'metadata',
  'service_tier',
  'tool_choice',
  // Beside `messages` the choice of a function; in a message its call.
  'function_call',
  'modalities',
  'audio',
  'encoding_format',
  'reasoning_effort',
  'verbosity',
  'safety_identifier',
  'prompt_cache_key',
]);
/** Fields that the model reads as JSON or as a text made from it. */
const JSON_FIELDS = new Set(['tools', 'functions', 'response_format', 'documents']);

const TEXT_PARTS = new Set(['text', 'input_text', 'output_text', 'refusal']);
const IMAGE_PARTS = new Set(['image_url', 'input_image', 'image']);
const AUDIO_PARTS = new Set(['input_audio', 'audio_url', 'audio']);
const IMAGE_FIELDS = new Set(['type', 'image_url', 'image', 'source', 'detail']);
const AUDIO_FIELDS = new Set(['type', 'input_audio', 'audio_url', 'audio']);

/** Content that has no rule of its own has at least a token for each four characters, as English text has. */
const CHARS_PER_TOKEN = 4;
/** A text that is only a URL: the content is elsewhere. */
const URL_ALONE = /^[a-z][a-z0-9+.-]*:\/\/\S*$/i;
/** Longer than addresses, with their signatures, are. */
const MAX_URL_CHARS = 16_384;
const FILE_ID = 'file_id';
/** Fields that name the kind of a part. */
const LABELS = new Set(['type']);

const isObject = (value: unknown): value is Fields => value !== null && typeof value === 'object';
const isIn = (set: Set<string>, value: unknown) => typeof value === 'string' && set.has(value);

/**
 * Most texts, names and numbers that are counted one by one. Measured: so many take 10 to 50 ms of processor time. A body with more counts as
 * text of its length; a conversation of a million words has some thousand.
 */
const MAX_PIECES = 50_000;

const isNumbers = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'number');

/** Adds up what a model reads of a request. */
class PromptCount {
  private counted = 0;
  private readonly texts: string[] = [];
  private readonly unknown: string[] = [];
  private pieces = 0;

  get hasTooManyPieces(): boolean {
    return this.pieces > MAX_PIECES;
  }

  get tokens(): number {
    const unknownChars = this.unknown.reduce((sum, { length }) => sum + length, 0);
    const unknownTokens = Math.max(estimateTokens(this.unknown), Math.ceil(unknownChars / CHARS_PER_TOKEN));
    return this.counted + estimateTokens(this.texts) + unknownTokens;
  }

  addBody(body: Fields): void {
    for (const name of Object.keys(body)) {
      if (PARAMETERS.has(name)) continue;
      const value = body[name];
      if (name === 'prompt' || name === 'input') this.addPrompt(value);
      else if (name === 'messages' && Array.isArray(value)) for (const item of value) this.addMessage(item);
      else if (JSON_FIELDS.has(name)) this.addStructure(value, this.texts);
      else this.addField(value);
    }
  }

  /** A text, token ids, or a list of them. */
  private addPrompt(prompt: unknown): void {
    for (const item of Array.isArray(prompt) ? (prompt as unknown[]) : [prompt]) {
      if (typeof item === 'number') this.counted += 1;
      else if (Array.isArray(item)) this.addTokenIds(item as unknown[]);
      else this.addPart(item);
    }
  }

  private addTokenIds(items: unknown[]): void {
    for (const item of items) {
      if (typeof item === 'number') this.counted += 1;
      else this.addField(item);
    }
  }

  private addMessage(message: unknown): void {
    if (!isObject(message)) return this.addField(message);
    for (const [name, value] of Object.entries(message)) {
      if (name === 'content' && Array.isArray(value)) for (const part of value) this.addPart(part);
      // Names audio of an earlier answer.
      else if (name === 'audio' && value) this.counted = Infinity;
      else if (name === 'tool_calls' || name === 'function_call') this.addCalls(value);
      else this.addField(value);
    }
  }

  private addCalls(calls: unknown): void {
    const texts = textsIn(calls, LABELS);
    this.pieces += texts.length;
    for (const text of texts) this.texts.push(text);
  }

  private addPart(part: unknown): void {
    if (this.hasTooManyPieces) return;
    if (!isObject(part)) return this.addField(part);
    if (isIn(TEXT_PARTS, part.type)) this.addFields(part, LABELS);
    else if (isIn(IMAGE_PARTS, part.type)) this.addImage(part);
    else if (isIn(AUDIO_PARTS, part.type)) this.addAudio(part);
    else {
      this.addStructure(part, this.unknown);
      if (isElsewhere(part)) this.counted = Infinity;
    }
  }

  private addImage(part: Fields): void {
    const image = part.image_url ?? part.image ?? part.source;
    const fields: Fields = isObject(image) ? image : { url: image };
    this.counted += imageTokens(fields.url ?? fields.data, fields.detail ?? part.detail);
    this.addFields(part, IMAGE_FIELDS);
  }

  private addAudio(part: Fields): void {
    const audio = part.input_audio ?? part.audio_url ?? part.audio;
    const fields: Fields = isObject(audio) ? audio : { data: audio };
    this.counted += audioTokens(fields.data ?? fields.url);
    this.addFields(part, AUDIO_FIELDS);
  }

  private addFields(fields: Fields, except: Set<string>): void {
    for (const [name, value] of Object.entries(fields)) if (!except.has(name)) this.addField(value);
  }

  /** A text counts as such, a list or an object as one whose meaning is unknown; a number or a flag is none. */
  private addField(value: unknown): void {
    this.pieces++;
    if (typeof value === 'string') this.texts.push(value);
    else if (isObject(value)) this.addStructure(value, this.unknown);
  }

  /** Adds names and values on lines of their own, in place of the signs that JSON has between them. */
  private addStructure(value: unknown, into: string[]): void {
    this.pieces += isNumbers(value) ? value.length : 1;
    if (this.hasTooManyPieces) return;
    if (typeof value === 'string') into.push(value);
    else if (!isObject(value)) into.push(String(value));
    else if (isNumbers(value)) into.push(JSON.stringify(value));
    else if (Array.isArray(value)) {
      for (const item of value as unknown[]) this.addStructure(item, into);
    } else {
      // `Object.entries` takes four times as long.
      for (const name of Object.keys(value)) {
        into.push(`"${name}":`);
        this.addStructure(value[name], into);
      }
    }
  }
}

/** Whether a part names its content, by a URL or the id of an uploaded file, instead of holding it. */
function isElsewhere(part: Fields): boolean {
  return (
    Object.hasOwn(part, FILE_ID) ||
    Object.keys(part).some((name) => {
      const value = part[name];
      return isObject(value) ? isElsewhere(value) : isUrl(value);
    })
  );
}

const isUrl = (value: unknown): boolean =>
  typeof value === 'string' && value.length <= MAX_URL_CHARS && URL_ALONE.test(value);

/** Of a member: two quotes, a colon and a comma. */
const SIGN_BYTES = 4;
/** Of an object: two braces, but one comma less than members. */
const OUTER_BYTES = 1;

/** Fields of a long body that the gateway has not read, with the spaces around them; parameters among them are short. */
function unreadBytes({ raw, members }: Pick<ProxyRequest, 'raw' | 'members'>): number {
  if (raw.length <= AT_ONCE_BYTES) return 0;
  const read = members.reduce((sum, { name, start, end }) => sum + name.length + SIGN_BYTES + end - start, 0);
  return Math.max(0, raw.length - OUTER_BYTES - read);
}

/**
 * Returns the tokens of everything in a request that the model may read, for when the upstream's count is not known. Infinite if
 * the length of a part cannot be known: what was reserved is the limit.
 */
export function promptTokens(request: Pick<ProxyRequest, 'body' | 'raw' | 'members'>): number {
  const count = new PromptCount();
  count.addBody(request.body);
  if (count.hasTooManyPieces) return Math.ceil(request.raw.length / CHARS_PER_TOKEN);
  return count.tokens + Math.ceil(unreadBytes(request) / CHARS_PER_TOKEN);
}
