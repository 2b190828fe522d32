import OpenAI from 'openai';
import { type SandboxEngine, startSandboxEngine } from '../index';

let engine: SandboxEngine;
let openai: OpenAI;

beforeAll(async () => {
  engine = await startSandboxEngine({ port: 0 });
  openai = new OpenAI({ baseURL: `${engine.url}/v1`, apiKey: 'any', maxRetries: 0 });
});
afterAll(() => engine.close());

function lengthOf(vector: number[]): number {
  return Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
}

describe('embeddings', () => {
  it('are unit vectors, equal for equal texts only, whether read as base64 or as numbers', async () => {
    const input = ['the sea', 'the land', 'the sea'];
    // The client requests base64 by default.
    const packed = await openai.embeddings.create({ model: 'sandbox-embed', input });
    const plain = await openai.embeddings.create({ model: 'sandbox-embed', input, encoding_format: 'float' });
    expect(plain).toMatchObject({
      object: 'list',
      model: 'sandbox-embed',
      usage: { prompt_tokens: 6, total_tokens: 6 },
    });
    expect(plain.data.map(({ object, index }) => [object, index])).toEqual([
      ['embedding', 0],
      ['embedding', 1],
      ['embedding', 2],
    ]);
    const [sea, land, seaAgain] = plain.data.map(({ embedding }) => embedding);
    expect(sea).toHaveLength(64);
    expect(lengthOf(sea ?? [])).toBeCloseTo(1, 5);
    expect(seaAgain).toEqual(sea);
    expect(land).not.toEqual(sea);
    expect(packed.data.map(({ embedding }) => Array.from(embedding, Math.fround))).toEqual(
      plain.data.map(({ embedding }) => embedding.map(Math.fround)),
    );
  });

  it('sends base64 as text on the wire', async () => {
    const response = await fetch(`${engine.url}/v1/embeddings`, {
      method: 'POST',
      body: JSON.stringify({ model: 'sandbox-embed', input: 'x', encoding_format: 'base64' }),
    });
    const { data } = (await response.json()) as { data: { embedding: string }[] };
    expect(Buffer.from(data[0]?.embedding ?? '', 'base64')).toHaveLength(64 * 4);
  });

  it('have as many dimensions as asked', async () => {
    const { data } = await openai.embeddings.create({
      model: 'sandbox-embed',
      input: 'x',
      dimensions: 1_536,
    });
    expect(data[0]?.embedding).toHaveLength(1_536);
  });

  it('take token numbers', async () => {
    const one = await openai.embeddings.create({ model: 'sandbox-embed', input: [1, 2, 3] });
    const two = await openai.embeddings.create({ model: 'sandbox-embed', input: [[1, 2, 3], [4]] });
    expect([one.data.length, one.usage.prompt_tokens]).toEqual([1, 3]);
    expect([two.data.length, two.usage.prompt_tokens]).toEqual([2, 4]);
    expect(two.data[0]?.embedding).toEqual(one.data[0]?.embedding);
  });
});
