import { estimateTokens } from '@inference/tokens';
import { type ProxyRequest } from '../request/proxy-request';
import {
  AUDIO_SOURCES,
  CONTENT_FIELDS,
  type Fields,
  holdsMedia,
  holdsOtherThanImage,
  IMAGE_SOURCES,
} from '../request/proxy-request.dto';
import { jsonWeight, valueWeight, type Weighed } from './json-weight';
import { audioTokens, imageTokens, isAddress, MAX_IMAGE_TOKENS } from './media-tokens';
import { collectTexts } from './texts-in';

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
const JSON_FIELDS = ['tools', 'functions', 'response_format', 'documents'];
/** Fields that have rules of their own. */
const BODY_FIELDS = new Set(['prompt', 'input', 'messages', ...JSON_FIELDS]);

const TEXT_PARTS = new Set(['text', 'input_text', 'output_text', 'refusal']);
const IMAGE_PARTS = new Set(['image_url', 'input_image', 'image']);
const AUDIO_PARTS = new Set(['input_audio', 'audio_url', 'audio']);
/** Fields of a part and of its source that hold no text; of a picture also its name in a cache. */
const OF_SOURCE = ['type', 'format', 'media_type', 'detail', ...CONTENT_FIELDS];
const IMAGE_FIELDS = new Set([...OF_SOURCE, ...IMAGE_SOURCES, 'uuid']);
const AUDIO_FIELDS = new Set([...OF_SOURCE, ...AUDIO_SOURCES]);
const SOURCE_FIELDS = new Set(OF_SOURCE);
/** Fields of a message that have rules of their own. */
const MESSAGE_FIELDS = new Set(['content', 'audio', 'tool_calls', 'function_call']);

/** Content that has no rule of its own has at least a token for each four characters, as English text has. */
const CHARS_PER_TOKEN = 4;
/** Fields that name content which is kept elsewhere: of an uploaded file, and of vLLM's cache of media. */
const ELSEWHERE = new Set(['file_id', 'uuid']);
/** Fields that name the kind of a part. */
const LABELS = new Set(['type']);

const isObject = (value: unknown): value is Fields => value !== null && typeof value === 'object';
const isRecord = (value: unknown): value is Fields => isObject(value) && !Array.isArray(value);
const isIn = (set: Set<string>, value: unknown) => typeof value === 'string' && set.has(value);

/**
 * Most texts, names and numbers that are counted one by one. Measured: so many take 5 to 30 ms of processor time. A body with more counts as
 * text of its length; a conversation of a million words has some thousand.
 */
const MAX_PIECES = 20_000;
/** What the header of a picture or of audio costs. Measured: 5,000 headers take 10 to 30 ms. */
const PIECES_OF_MEDIA = 4;

/** Of pictures in one request. Measured: decoding so much takes 10 to 30 ms. Chosen: 40 pictures with the longest headers. */
const MAX_HEADER_BYTES = 8 * 1024 * 1024;

const isNumbers = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'number');

/** Of the picture in `image_url`: the chat API has the field inside, the API of responses in the part. */
function detailOf(part: Fields): unknown {
  if (part.type === 'input_image') return part.detail;
  return part.type === 'image_url' && isRecord(part.image_url) ? part.image_url.detail : undefined;
}

/** Adds up what a model reads of a request. */
class PromptCount {
  private counted = 0;
  private readonly texts: string[] = [];
  private readonly unknown: string[] = [];
  private pieces = 0;
  private readonly headers = { bytesLeft: MAX_HEADER_BYTES };
  /** Whether a part has named content that is elsewhere. */
  private foundElsewhere = false;

  get hasTooManyPieces(): boolean {
    return this.pieces > MAX_PIECES;
  }

  /** Tokens of what is no text: token ids, pictures and audio. */
  get countedTokens(): number {
    return this.counted;
  }

  get tokens(): number {
    // Nothing is added to what is not finite.
    if (this.counted === Infinity) return Infinity;
    const unknownChars = this.unknown.reduce((sum, { length }) => sum + length, 0);
    const unknownTokens = Math.max(estimateTokens(this.unknown), Math.ceil(unknownChars / CHARS_PER_TOKEN));
    return this.counted + estimateTokens(this.texts) + unknownTokens;
  }

  addBody(body: Fields): void {
    const { prompt, input, messages } = body;
    this.addPrompt(prompt);
    this.addPrompt(input);
    if (Array.isArray(messages)) for (const item of messages) this.addMessage(item);
    else this.addField(messages);
    for (const name of JSON_FIELDS) if (body[name] !== undefined) this.addStructure(body[name], this.texts);
    for (const name of Object.keys(body))
      if (!PARAMETERS.has(name) && !BODY_FIELDS.has(name)) this.addField(body[name]);
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
    if (!isRecord(message)) return this.addField(message);
    const { content, audio, tool_calls: toolCalls, function_call: functionCall } = message;
    // Names audio of an earlier answer.
    if (audio) this.counted = Infinity;
    this.pieces++;
    if (Array.isArray(content)) for (const part of content) this.addPart(part);
    else this.addField(content);
    this.addCalls(toolCalls);
    this.addCalls(functionCall);
    if (!this.hasTooManyPieces) this.addFields(message, MESSAGE_FIELDS);
  }

  private addCalls(calls: unknown): void {
    if (calls === undefined || this.hasTooManyPieces) return;
    this.pieces += collectTexts(calls, LABELS, this.texts, MAX_PIECES - this.pieces + 1);
  }

  private addPart(part: unknown): void {
    if (!isRecord(part)) return this.addField(part);
    if (isIn(TEXT_PARTS, part.type) && !holdsMedia(part)) {
      if (!this.hasTooManyPieces) this.addFields(part, LABELS);
    } else {
      if (!this.hasTooManyPieces) this.addMedia(part);
      if (this.hasTooManyPieces) this.addUncounted(part);
    }
  }

  private addMedia(part: Fields): void {
    if (isIn(IMAGE_PARTS, part.type) && !holdsOtherThanImage(part)) return this.addImage(part);
    if (isIn(AUDIO_PARTS, part.type)) return this.addAudio(part);
    this.foundElsewhere = false;
    this.addStructure(part, this.unknown);
    if (this.foundElsewhere) this.counted = Infinity;
  }

  /** A part of a body that has too many pieces: the bytes of the body count, which do not bound media. */
  private addUncounted(part: Fields): void {
    if (isIn(IMAGE_PARTS, part.type) && !holdsOtherThanImage(part)) this.counted += MAX_IMAGE_TOKENS;
    else if (part.type !== undefined || holdsMedia(part)) this.counted = Infinity;
  }

  private addImage(part: Fields): void {
    const tokens = this.tokensOfSources(part, IMAGE_SOURCES, (content, name) =>
      imageTokens(content, name === 'image_url' ? detailOf(part) : undefined, this.headers),
    );
    const isElsewhere = this.addRest(part, IMAGE_FIELDS);
    this.counted += isElsewhere ? MAX_IMAGE_TOKENS : tokens;
  }

  private addAudio(part: Fields): void {
    const tokens = this.tokensOfSources(part, AUDIO_SOURCES, audioTokens);
    const isElsewhere = this.addRest(part, AUDIO_FIELDS);
    this.counted += isElsewhere ? Infinity : tokens;
  }

  /** Of several sources the one with most tokens counts: servers differ in which one they read. */
  private tokensOfSources(
    part: Fields,
    names: readonly string[],
    tokensOf: (content: unknown, name: string) => number,
  ): number {
    let most = 0;
    const add = (content: unknown, name: string) => {
      this.pieces += PIECES_OF_MEDIA;
      most = Math.max(most, tokensOf(content, name));
    };
    for (const name of names) {
      const source = part[name] ?? undefined;
      if (!isRecord(source)) {
        if (source !== undefined) add(source, name);
        continue;
      }
      const contents = CONTENT_FIELDS.map((field) => source[field] ?? undefined).filter(
        (content) => content !== undefined,
      );
      // A source without content is one of unknown length.
      for (const content of contents.length === 0 ? [undefined] : contents) add(content, name);
      if (this.addRest(source, SOURCE_FIELDS)) add(undefined, name);
    }
    return most || tokensOf(undefined, names[0]!);
  }

  /** Adds the fields of a part that have no rule. Returns whether one of them names content that is elsewhere. */
  private addRest(fields: Fields, except: Set<string>): boolean {
    this.foundElsewhere = false;
    for (const name of Object.keys(fields)) {
      if (this.hasTooManyPieces) break;
      if (except.has(name)) continue;
      const value = fields[name];
      if (ELSEWHERE.has(name) || isAddress(value)) this.foundElsewhere = true;
      this.addField(value);
    }
    return this.foundElsewhere;
  }

  private addFields(fields: Fields, except: Set<string>): void {
    for (const name of Object.keys(fields)) {
      if (!except.has(name)) this.addField(fields[name]);
      if (this.hasTooManyPieces) return;
    }
  }

  /** A text counts as such, a list or an object as one whose meaning is unknown; a number or a flag is none. */
  private addField(value: unknown): void {
    if (value === undefined || this.hasTooManyPieces) return;
    this.pieces++;
    if (typeof value === 'string') this.texts.push(value);
    else if (isObject(value)) this.addStructure(value, this.unknown);
  }

  /** Adds names and values on lines of their own, in place of the signs that JSON has between them. */
  private addStructure(value: unknown, into: string[]): void {
    if (this.hasTooManyPieces) return;
    const numbers = isNumbers(value);
    this.pieces += numbers ? value.length : 1;
    if (this.hasTooManyPieces) return;
    if (typeof value === 'string') {
      into.push(value);
      if (into === this.unknown && isAddress(value)) this.foundElsewhere = true;
    } else if (!isObject(value)) into.push(String(value));
    else if (numbers) into.push(JSON.stringify(value));
    else if (Array.isArray(value)) {
      for (const item of value as unknown[]) this.addStructure(item, into);
    } else {
      // `Object.entries` takes four times as long.
      for (const name of Object.keys(value)) {
        into.push(`"${name}":`);
        if (ELSEWHERE.has(name)) this.foundElsewhere = true;
        this.addStructure(value[name], into);
        if (this.hasTooManyPieces) return;
      }
    }
  }
}

/**
 * Tokens of what a model's server gets and the gateway has not counted: fields of a long body that are not read, names that are given
 * twice, and what a translation leaves out that is sent all the same. Parameters among them are short.
 */
const uncountedTokens = ({ raw, weight = jsonWeight(raw) }: Weighed, body: Fields): number =>
  Math.max(0, Math.ceil((weight - valueWeight(body)) / CHARS_PER_TOKEN));

/**
 * Returns the tokens of everything in a request that the model may read, for when the upstream's count is not known. Infinite if
 * the length of a part cannot be known: what was reserved is the limit.
 * @param isNative whether the server gets the request as its client has sent it
 */
export function promptTokens(
  { body, raw, weight, native }: Pick<ProxyRequest, 'body' | 'raw' | 'weight' | 'native'>,
  isNative = false,
): number {
  const sent: Weighed = isNative && native ? native : { raw, weight };
  const count = new PromptCount();
  count.addBody(body);
  if (count.hasTooManyPieces)
    return count.countedTokens + Math.ceil(Math.max(raw.length, sent.raw.length) / CHARS_PER_TOKEN);
  return count.tokens + uncountedTokens(sent, body);
}
