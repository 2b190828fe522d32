import { longestTurnOf } from '@inference/testing';
import { type Task } from '../task';
import { RERANK } from './rerank';
import { SPEECH } from './speech';
import { TRANSCRIPTION } from './transcription';

/** Requests of the largest size, which are read beside others before anybody asks whether they can be paid. */

const UPLOAD_BYTES = 25 * 1024 * 1024;
const BODY_BYTES = 32 * 1024 * 1024;
/** What is read at once in some 80 ms. No turn may take 100 ms; the longest, for the bytes of a query of 32 MiB, takes half of that. */
const PARSED = JSON.stringify('"'.repeat(15_000_000));

const MOST_PART = 1;

const filled = (piece: Buffer, bytes = UPLOAD_BYTES) => Buffer.alloc(bytes - (bytes % piece.length), piece);

/** A page of 255 packets, the shortest for its work. */
const page = (packetBytes: number) => {
  const bytes = Buffer.alloc(282, packetBytes);
  bytes.write('OggS\0\0\0\0');
  bytes[26] = 255;
  return bytes;
};
const HEAD = Buffer.alloc(36);
HEAD.write('OggS');
HEAD.set([1, 8], 26);
HEAD.write('OpusHead', 28);
const opus = (packetBytes: number) => Buffer.concat([HEAD, filled(page(packetBytes))]);
/** Frames of 24 bytes, the shortest. */
const frame = Buffer.alloc(24);
frame.set([0xff, 0xf3, 0x18]);

const part = (disposition: string, content: Buffer) =>
  Buffer.concat([
    Buffer.from(`--x\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`),
    content,
    Buffer.from('\r\n'),
  ]);
const form = (file: Buffer, ...others: Buffer[]) =>
  Buffer.concat([
    part('name="model"', Buffer.from('m')),
    ...others,
    part('name="file"; filename="a"', file),
    Buffer.from('--x--\r\n'),
  ]);
const rerank = (documents: string, query = 'q') =>
  Buffer.from(`{"model":"m","query":"${query}","documents":[${documents}]}`);
const speech = (input: string) => Buffer.from(`{"model":"m","voice":"v","input":"${input}"}`);

const read = (task: Task, bytes: Buffer) =>
  task.read(
    { bytes, contentType: 'multipart/form-data; boundary=x', requireClient: () => undefined },
    () => undefined,
  );

it.each<[string, Task, Buffer]>([
  ['pages of Ogg without packets', TRANSCRIPTION, form(opus(0))],
  ['packets of Opus', TRANSCRIPTION, form(opus(1))],
  ['frames of MP3', TRANSCRIPTION, form(filled(frame))],
  ['one document', RERANK, rerank(`{"text":"${'\\"'.repeat(BODY_BYTES / 2 - 100)}"}`)],
  ['characters of two halves', RERANK, rerank('"a"', '😀'.repeat(BODY_BYTES / 4 - 100))],
  ['characters that are spoken', SPEECH, speech('😀'.repeat(1_000_000))],
  [
    'documents',
    RERANK,
    rerank(
      Array(9_999)
        .fill(`{"text":"${'a'.repeat(3_000)}","b":${'[]'}}`)
        .join(','),
    ),
  ],
])('%s hold the thread for a short time', async (_what, task, bytes) => {
  const work = async () => (await read(task, bytes)).asked();
  const part = await longestTurnOf(work, () => JSON.parse(PARSED) as unknown, MOST_PART);
  expect(part).toBeLessThan(MOST_PART);
});
