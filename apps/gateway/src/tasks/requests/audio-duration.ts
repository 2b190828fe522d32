import { type SteppedWork } from '@inference/http';
import { wavBytesPerSecond } from '../../proxy/usage/media-tokens';

/** How long audio is, as far as its bytes tell. */
export interface AudioDuration {
  /** For the gateway's own count. */
  seconds: number;
  /** For the hold. */
  mostSeconds: number;
}

/** Speech at 6 kbit/s, the least of Opus and lower than what telephones use. Half would double the hold of every file without a length. */
const FEWEST_BYTES_PER_SECOND = 750;
/** Chosen, as for audio in prompts: speech at 32 kbit/s. */
const USUAL_BYTES_PER_SECOND = 4_000;
/** Of compressed audio without loss, two channels at 48 kHz: a header that says less than so many bytes a second is not believed. */
const MOST_BYTES_PER_SECOND = 192_000;
/** Where the length of a file stands, from its beginning or its end. */
const MOST_SEARCHED_BYTES = 1024 * 1024;

/**
 * Reads the length from the headers of WAV, FLAC, MP4 and its like, and from the frames of MP3 and Opus, whose headers could claim
 * anything; otherwise from the size.
 */
export function* audioDuration(file: Buffer): SteppedWork<AudioDuration> {
  const known = yield* knownSeconds(file);
  if (known === null)
    return rounded(file.length / USUAL_BYTES_PER_SECOND, file.length / FEWEST_BYTES_PER_SECOND);
  const seconds = Math.min(
    Math.max(known, file.length / MOST_BYTES_PER_SECOND),
    file.length / FEWEST_BYTES_PER_SECOND,
  );
  return rounded(seconds, seconds);
}

function* knownSeconds(file: Buffer): SteppedWork<number | null> {
  for (const read of READERS) {
    const found = read(file);
    const seconds = typeof found === 'object' && found !== null ? yield* found : found;
    if (seconds !== null && Number.isFinite(seconds)) return seconds;
  }
  return null;
}

const rounded = (seconds: number, mostSeconds: number): AudioDuration => ({
  seconds: Math.ceil(seconds),
  // Upstreams round up, some of them each piece.
  mostSeconds: Math.ceil(mostSeconds) + 1,
});

type Reader = (file: Buffer) => number | null | SteppedWork<number | null>;

const startsWith = (file: Buffer, at: number, text: string) =>
  file.length >= at + text.length && file.toString('latin1', at, at + text.length) === text;

function wav(file: Buffer): number | null {
  const bytesPerSecond = wavBytesPerSecond(file.subarray(0, 4_096));
  return bytesPerSecond === null ? null : file.length / bytesPerSecond;
}

/** The block STREAMINFO is the first one. */
function flac(file: Buffer): number | null {
  if (!startsWith(file, 0, 'fLaC') || file.length < 26) return null;
  const rate = file.readUIntBE(18, 3) >>> 4;
  const samples = (file[21]! & 0x0f) * 2 ** 32 + file.readUInt32BE(22);
  return rate > 0 && samples > 0 ? samples / rate : null;
}

const PAGE = Buffer.from('OggS');
const PAGE_HEADER_BYTES = 27;
/** Bytes that are searched at once. */
const SEARCHED_BYTES = 131_072;
/** The beginning of `OpusHead` and `OpusTags`. */
const OPUS_HEADER = 0x4f707573;
const OPUS_RATE = 48_000;
const MOST_OPUS_PACKET_SAMPLES = 5_760;
/** Chosen: the last packet is filled up to its length. */
const MOST_OPUS_PADDING_SAMPLES = OPUS_RATE;
/** 500 kbit/s, the highest quality of two channels. */
const MOST_VORBIS_BYTES_PER_SECOND = 64_000;

function* ogg(file: Buffer): SteppedWork<number | null> {
  if (!startsWith(file, 0, 'OggS')) return null;
  const head = file.subarray(0, 128);
  const isOpus = head.includes('OpusHead');
  const vorbis = head.indexOf('\x01vorbis', 0, 'latin1');
  const hasRate = vorbis !== -1 && vorbis + 16 <= head.length;
  const rate = isOpus ? OPUS_RATE : hasRate ? head.readUInt32LE(vorbis + 12) : 0;
  if (rate === 0) return null;
  let position = 0;
  let counted = 0;
  for (let at = 0; at !== -1 && at + PAGE_HEADER_BYTES <= file.length;) {
    // The sample at which a page ends; negative where none ends.
    const upper = file.readInt32LE(at + 10);
    if (upper >= 0) position = Math.max(position, upper * 2 ** 32 + file.readUInt32LE(at + 6));
    if (isOpus) counted += opusSamples(file, at);
    yield;
    at = yield* nextPage(file, at + PAGE_HEADER_BYTES + file[at + 26]!);
  }
  if (isOpus) position = Math.min(Math.max(position, counted - MOST_OPUS_PADDING_SAMPLES), counted);
  if (position === 0) return null;
  return Math.max(position / rate, isOpus ? 0 : file.length / MOST_VORBIS_BYTES_PER_SECOND);
}

/** Returns where the next page begins; -1 behind the last one. */
function* nextPage(file: Buffer, start: number): SteppedWork<number> {
  for (let from = start; from < file.length; from += SEARCHED_BYTES) {
    const found = file.subarray(from, from + SEARCHED_BYTES + PAGE.length - 1).indexOf(PAGE);
    if (found !== -1) return from + found;
    yield;
  }
  return -1;
}

/** Of the packets that begin in a page. They are decoded whatever position the page claims. */
function opusSamples(file: Buffer, page: number): number {
  const table = page + PAGE_HEADER_BYTES;
  const body = table + file[page + 26]!;
  let samples = 0;
  let isContinued = (file[page + 5]! & 1) === 1;
  for (let segment = table, at = body; segment < body && at + 2 <= file.length; segment++) {
    const size = file[segment]!;
    const isHeader = size >= 8 && at + 4 <= file.length && file.readUInt32BE(at) === OPUS_HEADER;
    if (!isContinued && size > 0 && !isHeader) samples += packetSamples(file[at]!, file[at + 1]!);
    isContinued = size === 255;
    at += size;
  }
  return samples;
}

/** By RFC 6716, section 3.1. */
function packetSamples(first: number, second: number): number {
  const kind = first >> 3;
  const frame =
    kind >= 16 ? 120 << (kind & 3) : kind >= 12 ? 480 << (kind & 1) : [480, 960, 1_920, 2_880][kind & 3]!;
  const frames = [1, 2, 2, second & 63][first & 3]!;
  return Math.min(frames * frame, MOST_OPUS_PACKET_SAMPLES);
}

/** The header of a film, which may stand at the end. */
function mp4(file: Buffer): number | null {
  if (!startsWith(file, 4, 'ftyp')) return null;
  const places = [file.subarray(0, MOST_SEARCHED_BYTES), file.subarray(-MOST_SEARCHED_BYTES)];
  for (const place of places) {
    const at = place.indexOf('mvhd', 0, 'latin1');
    if (at === -1 || at + 36 > place.length) continue;
    const isLong = place[at + 4] === 1;
    const scale = place.readUInt32BE(at + (isLong ? 24 : 16));
    const length = isLong ? Number(place.readBigUInt64BE(at + 28)) : place.readUInt32BE(at + 20);
    return scale > 0 && length > 0 ? length / scale : null;
  }
  return null;
}

/** Kilobits a second of MPEG layer 3, version 1 and the later ones. */
const MP3_RATES = [
  [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
];
const MP3_SAMPLE_RATES = [44_100, 48_000, 32_000];

const FRAMES_OF_A_STEP = 2_048;

interface Mp3Frame {
  bytes: number;
  seconds: number;
}

function mp3Frame(file: Buffer, at: number): Mp3Frame | null {
  if (file[at] !== 0xff || at + 4 > file.length || (file[at + 1]! & 0xe6) !== 0xe2) return null;
  const version = (file[at + 1]! >> 3) & 3;
  const settings = file[at + 2]!;
  const rate = MP3_RATES[version === 3 ? 0 : 1]![(settings >> 4) - 1];
  const fullSampleRate = MP3_SAMPLE_RATES[(settings >> 2) & 3];
  if (rate === undefined || fullSampleRate === undefined || version === 1) return null;
  const sampleRate = fullSampleRate / (version === 3 ? 1 : version === 2 ? 2 : 4);
  const samples = version === 3 ? 1_152 : 576;
  const bytes = Math.floor((rate * 125 * samples) / sampleRate) + ((settings >> 1) & 1);
  return { bytes, seconds: samples / sampleRate };
}

/** Counts the frames, as a decoder does: the number of them in the first one is just a claim. Null if most bytes are no frames. */
function* mp3(file: Buffer): SteppedWork<number | null> {
  let start = 0;
  if (startsWith(file, 0, 'ID3') && file.length > 10)
    start = 10 + ((file[6]! << 21) | (file[7]! << 14) | (file[8]! << 7) | file[9]!);
  const first = mp3Frame(file, start);
  if (!first) return null;
  const head = file.subarray(start, start + first.bytes);
  let seconds = head.includes('Xing') || head.includes('Info') ? -first.seconds : 0;
  let skipped = 0;
  for (let at = start, read = 0; at < file.length; read++) {
    if (read % FRAMES_OF_A_STEP === 0) yield;
    const frame = mp3Frame(file, at);
    if (!frame && ++skipped > (file.length - start) / 2) return null;
    seconds += frame?.seconds ?? 0;
    at += frame?.bytes ?? 1;
  }
  return seconds;
}

const READERS: Reader[] = [wav, flac, ogg, mp4, mp3];
