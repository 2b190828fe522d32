import OpenAI, { toFile } from 'openai';
import { type SandboxEngine, startSandboxEngine } from '../index';

let engine: SandboxEngine;
let openai: OpenAI;

beforeAll(async () => {
  engine = await startSandboxEngine({ port: 0 });
  openai = new OpenAI({ baseURL: `${engine.url}/v1`, apiKey: 'any', maxRetries: 0 });
});
afterAll(() => engine.close());

const post = (path: string, body: object) =>
  fetch(`${engine.url}/v1/${path}`, { method: 'POST', body: JSON.stringify(body) });

it('puts documents in an order that depends on the texts only', async () => {
  const body = { model: 'sandbox-rerank', query: 'x', documents: ['a', { text: 'b' }, 'c'], top_n: 2 };
  const [one, other] = (await Promise.all([1, 2].map(async () => (await post('rerank', body)).json()))) as [
    { results: { index: number; relevance_score: number }[]; usage: object },
    unknown,
  ];
  expect(other).toEqual(one);
  expect(one.results).toHaveLength(2);
  expect(one.results[0]!.relevance_score).toBeGreaterThanOrEqual(one.results[1]!.relevance_score);
  expect(one.usage).toEqual({ prompt_tokens: 6, total_tokens: 6 });
});

it('makes PNGs', async () => {
  const { data } = await openai.images.generate({ model: 'sandbox-image', prompt: 'x', n: 2 });
  const [first, second] = data!.map(({ b64_json: base64 }) => Buffer.from(base64!, 'base64'));
  expect(first!.subarray(1, 4).toString()).toBe('PNG');
  expect(first!.equals(second!)).toBe(false);
});

it('speaks a WAV, and writes down two words for each second of it', async () => {
  const model = 'sandbox-speech';
  const speech = await openai.audio.speech.create({ model, voice: 'alloy', input: 'x'.repeat(100) });
  expect(speech.headers.get('content-type')).toBe('audio/wav');
  const audio = Buffer.from(await speech.arrayBuffer());
  const file = await toFile(audio, 'a.wav');
  const transcript = await openai.audio.transcriptions.create({ model: 'sandbox-audio', file });
  // 60 ms a character.
  expect(transcript.usage).toEqual({ type: 'duration', seconds: 7 });
  expect(transcript.text.split(' ')).toHaveLength(14);
  const text: unknown = await openai.audio.transcriptions.create({
    model: 'sandbox-audio',
    file,
    response_format: 'text',
  });
  expect(text).toBe(`${transcript.text}\n`);
  const detailed = await openai.audio.translations.create({
    model: 'sandbox-audio',
    file,
    response_format: 'verbose_json',
  });
  expect(detailed).toMatchObject({ text: transcript.text, duration: 7 });
});

it('flags a word', async () => {
  const input = ['peace', 'Violence!'];
  const { results } = await openai.moderations.create({ model: 'sandbox-moderation', input });
  expect(results.map(({ flagged }) => flagged)).toEqual([false, true]);
});

it.each([
  ['rerank', { model: 'sandbox-rerank', query: 'x', documents: [7] }, 'documents[0]'],
  ['images/generations', { model: 'sandbox-image' }, 'prompt'],
  ['images/generations', { model: 'sandbox-chat', prompt: 'x' }, 'model'],
  ['audio/speech', { model: 'sandbox-speech', input: 7 }, 'input'],
  ['audio/transcriptions', { model: 'sandbox-audio', file: 'x' }, 'file'],
  ['moderations', { model: 'sandbox-moderation' }, 'input'],
])('%s refuses %j', async (path, body, param) => {
  const response = await post(path, body);
  expect([response.status, await response.json()]).toMatchObject([400, { error: { param } }]);
});
