import { readImageSize } from './image-size';

/**
 * Tokens of pictures and audio by the rules that OpenAI documents for GPT-4o. Models differ; the rules depend on nothing but the
 * size, so they hold without knowledge of the model.
 */

/** A picture is scaled into this square, then until its shorter side has at most 768 pixels, and cut into tiles. */
const MAX_SIDE_PIXELS = 2_048;
const SHORT_SIDE_PIXELS = 768;
const TILE_PIXELS = 512;
const BASE_TOKENS = 85;
const TILE_TOKENS = 170;
/** The most that the rule gives: 2 × 4 tiles. Also for a picture whose size the gateway cannot read. */
export const MAX_IMAGE_TOKENS = BASE_TOKENS + 8 * TILE_TOKENS;

/** A JPEG may have two segments of 64 kB, such as a preview and a colour profile, before its size. */
const MAX_IMAGE_HEADER_BYTES = 192 * 1024;

const INPUT_AUDIO_TOKENS_PER_SECOND = 10;
const OUTPUT_AUDIO_TOKENS_PER_SECOND = 20;
/** Of compressed audio; chosen: speech at 32 kbit/s. Music at 128 kbit/s counts fourfold, speech at 16 kbit/s half. */
const COMPRESSED_BYTES_PER_SECOND = 4_000;
/** Of streamed output, which is 16-bit PCM at 24 kHz. */
const PCM_BYTES_PER_SECOND = 48_000;
/** Far more than stands before the format of a WAV file. */
const MAX_WAV_HEADER_BYTES = 4_096;

/** The base64 text of a data URL, or the text itself if it is no URL. Null for any other URL, whose content is elsewhere. */
function base64Of(source: string): string | null {
  if (/^data:/i.test(source)) return source.slice(source.indexOf(',') + 1);
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(source) ? null : source;
}

const headOf = (base64: string, bytes: number): Buffer =>
  Buffer.from(base64.slice(0, Math.ceil(bytes / 3) * 4), 'base64');

const byteLengthOf = (base64: string): number => Math.floor((base64.length * 3) / 4);

/** @param source a data URL, base64 or a URL; anything else counts as a picture of unknown size */
export function imageTokens(source: unknown, detail: unknown): number {
  if (detail === 'low') return BASE_TOKENS;
  const base64 = typeof source === 'string' ? base64Of(source) : null;
  const size = base64 === null ? null : readImageSize(headOf(base64, MAX_IMAGE_HEADER_BYTES));
  if (!size) return MAX_IMAGE_TOKENS;
  const fitted = Math.min(1, MAX_SIDE_PIXELS / Math.max(size.width, size.height));
  const shorter = Math.min(size.width, size.height) * fitted;
  const scale = fitted * Math.min(1, SHORT_SIDE_PIXELS / shorter);
  const tiles = (pixels: number) => Math.ceil(Math.max(1, Math.round(pixels * scale)) / TILE_PIXELS);
  return BASE_TOKENS + TILE_TOKENS * tiles(size.width) * tiles(size.height);
}

/** Bytes that a second of a WAV file has; null if it is no WAV file. */
function wavBytesPerSecond(bytes: Buffer): number | null {
  if (bytes.length < 44 || bytes.toString('latin1', 8, 12) !== 'WAVE') return null;
  const at = bytes.indexOf('fmt ', 12, 'latin1');
  if (at === -1 || at + 24 > bytes.length) return null;
  const [channels, samples, bits] = [
    bytes.readUInt16LE(at + 10),
    bytes.readUInt32LE(at + 12),
    bytes.readUInt16LE(at + 22),
  ];
  return (channels * samples * bits) / 8 || null;
}

/** Tokens of audio in a prompt. Infinite if it is somewhere else and its length unknown. @param source a data URL, base64 or a URL */
export function audioTokens(source: unknown): number {
  const base64 = typeof source === 'string' ? base64Of(source) : null;
  if (base64 === null) return Infinity;
  const bytesPerSecond =
    wavBytesPerSecond(headOf(base64, MAX_WAV_HEADER_BYTES)) ?? COMPRESSED_BYTES_PER_SECOND;
  return Math.ceil((byteLengthOf(base64) / bytesPerSecond) * INPUT_AUDIO_TOKENS_PER_SECOND);
}

/** Tokens of audio that a model produces. @param base64 of PCM */
export const producedAudioTokens = (base64: string): number =>
  (byteLengthOf(base64) / PCM_BYTES_PER_SECOND) * OUTPUT_AUDIO_TOKENS_PER_SECOND;
