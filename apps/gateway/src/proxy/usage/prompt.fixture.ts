import { readProxyRequest } from '../request/proxy-request';
import { promptTokens } from './prompt-tokens';

type TestedEndpoint = 'chat/completions' | 'completions' | 'embeddings';

export const requestOf = (endpoint: TestedEndpoint, body: object) =>
  readProxyRequest(endpoint, Buffer.from(JSON.stringify({ model: 'm', ...body })));
export const tokensOf = (endpoint: TestedEndpoint, body: object) => promptTokens(requestOf(endpoint, body));

export const base64 = (bytes: number) =>
  Buffer.from(Array.from({ length: bytes }, (_, i) => (i * 7_919) % 251)).toString('base64');

/** Tokens of a conversation of one message. */
export const chat = (message: object, more: object = {}) =>
  tokensOf('chat/completions', { messages: [{ role: 'user', content: '', ...message }], ...more });
/** Tokens of a part of a message. */
export const part = (fields: object) => chat({ content: [fields] }) - chat({ content: [] });

/** A picture of this size, as far as its header goes. */
export function png(width: number, height: number): string {
  const bytes = Buffer.alloc(1_000);
  bytes.writeUInt32BE(0x89504e47, 0);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return `data:image/png;base64,${bytes.toString('base64')}`;
}

export function wav(seconds: number, samples = 16_000): string {
  const bytes = Buffer.alloc(44 + seconds * samples * 2);
  bytes.write('RIFF', 0);
  bytes.write('WAVEfmt ', 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(samples, 24);
  bytes.writeUInt16LE(16, 34);
  return bytes.toString('base64');
}

export const URL = 'https://example.com/long.wav';
/** The header of a JPEG that names its size. */
export const frame = (width: number) => [
  0xff,
  0xc0,
  0,
  17,
  8,
  width >> 8,
  width & 255,
  width >> 8,
  width & 255,
  3,
];
