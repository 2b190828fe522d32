import { type Task } from '../task';
import { MODERATION } from './moderation';
import { RERANK } from './rerank';
import { SPEECH } from './speech';
import { TRANSCRIPTION } from './transcription';

const part = (disposition: string, content: Buffer) =>
  Buffer.concat([
    Buffer.from(`--x\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`),
    content,
    Buffer.from('\r\n'),
  ]);
const form = (...others: Buffer[]) =>
  Buffer.concat([
    part('name="model"', Buffer.from('m')),
    ...others,
    part('name="file"; filename="a"', Buffer.alloc(24)),
    Buffer.from('--x--\r\n'),
  ]);
const rerank = (documents: string) => Buffer.from(`{"model":"m","query":"q","documents":[${documents}]}`);
const speech = (input: string) => Buffer.from(`{"model":"m","voice":"v","input":"${input}"}`);

const read = (task: Task, bytes: Buffer) =>
  task.read(
    { bytes, contentType: 'multipart/form-data; boundary=x', requireClient: () => undefined },
    () => undefined,
  );

it('has at most 10,000 documents', async () => {
  const documents = (count: number) => rerank(Array(count).fill('"a"').join(','));
  expect((await read(RERANK, documents(10_000))).model).toBe('m');
  await expect(read(RERANK, documents(10_001))).rejects.toThrow('documents: must have at most 10000 entries');
});

it('has at most 1,000,000 characters to speak', async () => {
  const counted = async (characters: number) =>
    (await read(SPEECH, speech('😀'.repeat(characters)))).bounds.counts;
  expect(await counted(1_000_000)).toEqual({ character: 1_000_000 });
  await expect(counted(1_000_001)).rejects.toThrow('input: must have at most 1000000 characters');
});

it('has at most 10,000 texts to moderate', async () => {
  const texts = (count: number) =>
    Buffer.from(`{"model":"m","input":[${Array(count).fill('"a"').join(',')}]}`);
  expect((await read(MODERATION, texts(10_000))).model).toBe('m');
  await expect(read(MODERATION, texts(10_001))).rejects.toThrow('input: must have at most 10000 entries');
});

it('has no text in a form that no server would read', async () => {
  const prompt = (bytes: number) => part('name="prompt"', Buffer.alloc(bytes, 'a'));
  expect((await read(TRANSCRIPTION, form(prompt(65_536)))).model).toBe('m');
  await expect(read(TRANSCRIPTION, form(prompt(65_537)))).rejects.toThrow(
    'prompt: must have at most 65536 bytes',
  );
});
