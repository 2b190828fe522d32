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

/** Reads the length from the headers of WAV, FLAC, Ogg, MP3, MP4 and its like; otherwise from the size. */
export function audioDuration(file: Buffer): AudioDuration {
  const known = READERS.map((read) => read(file)).find(
    (seconds) => seconds !== null && Number.isFinite(seconds),
  );
  if (known === undefined || known === null)
    return rounded(file.length / USUAL_BYTES_PER_SECOND, file.length / FEWEST_BYTES_PER_SECOND);
  const seconds = Math.min(
    Math.max(known, file.length / MOST_BYTES_PER_SECOND),
    file.length / FEWEST_BYTES_PER_SECOND,
  );
  return rounded(seconds, seconds);
}

const rounded = (seconds: number, mostSeconds: number): AudioDuration => ({
  seconds: Math.ceil(seconds),
  // Upstreams round up, some of them each piece.
  mostSeconds: Math.ceil(mostSeconds) + 1,
});

type Reader = (file: Buffer) => number | null;

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

const OPUS_RATE = 48_000;

/** The last page says at which sample it ends. */
function ogg(file: Buffer): number | null {
  if (!startsWith(file, 0, 'OggS')) return null;
  const head = file.subarray(0, 128);
  const vorbis = head.indexOf('\x01vorbis', 0, 'latin1');
  const hasRate = vorbis !== -1 && vorbis + 16 <= head.length;
  const rate = head.includes('OpusHead') ? OPUS_RATE : hasRate ? head.readUInt32LE(vorbis + 12) : 0;
  const from = Math.max(0, file.length - MOST_SEARCHED_BYTES);
  const page = file.subarray(from).lastIndexOf('OggS', undefined, 'latin1');
  if (page === -1 || from + page + 14 > file.length || rate === 0) return null;
  return Number(file.readBigUInt64LE(from + page + 6)) / rate;
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

/** The first frame has the rate, and in a file with changing rates the number of frames. */
function mp3(file: Buffer): number | null {
  let at = 0;
  if (startsWith(file, 0, 'ID3') && file.length > 10)
    at = 10 + ((file[6]! << 21) | (file[7]! << 14) | (file[8]! << 7) | file[9]!);
  if (at + 200 > file.length || file[at] !== 0xff || (file[at + 1]! & 0xe6) !== 0xe2) return null;
  const version = (file[at + 1]! >> 3) & 3;
  const rate = MP3_RATES[version === 3 ? 0 : 1]![(file[at + 2]! >> 4) - 1];
  const sampleRate = MP3_SAMPLE_RATES[(file[at + 2]! >> 2) & 3];
  if (rate === undefined || sampleRate === undefined || version === 1) return null;
  const xing = file.subarray(at, at + 200).indexOf(/* of either kind */ 'Xing', 0, 'latin1');
  if (xing === -1) return file.length / (rate * 125);
  if (at + xing + 12 > file.length || !(file[at + xing + 7]! & 1)) return null;
  const divisor = version === 3 ? 1 : version === 2 ? 2 : 4;
  const samples = version === 3 ? 1_152 : 576;
  return (file.readUInt32BE(at + xing + 8) * samples * divisor) / sampleRate;
}

const READERS: Reader[] = [wav, flac, ogg, mp4, mp3];
