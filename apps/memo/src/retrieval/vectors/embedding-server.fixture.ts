import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';

/** Groups of synonyms. */
const SYNONYMS: Record<string, string> = { automobile: 'car', physician: 'doctor', residence: 'house' };
const DIMENSIONS = 512;
/** Shorter words are ignored. */
const LEAST_LETTERS = 3;

/** A direction per meaning; different meanings are nearly orthogonal. */
function directionOf(meaning: string, dimensions: number): Float32Array {
  let seed = 1;
  for (const letter of meaning) seed = Math.imul(seed ^ letter.charCodeAt(0), 0x01000193);
  return Float32Array.from({ length: dimensions }, () => {
    seed = Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d) + 0x9e3779b9;
    return (seed ^ (seed >>> 13)) & 0x1000 ? 1 : -1;
  });
}

function meaningOf(text: string, dimensions: number): Float32Array {
  const sum = new Float32Array(dimensions);
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
    if (word.length < LEAST_LETTERS) continue;
    directionOf(SYNONYMS[word] ?? word, dimensions).forEach((value, i) => (sum[i]! += value));
  }
  return sum;
}

type Answer = (response: ServerResponse, texts: string[]) => void;

/** An embedding model that knows synonyms. */
export class EmbeddingServer {
  /** The texts of each request. */
  readonly asked: string[][] = [];
  private answer: Answer = (response, texts) => this.embed(response, texts);

  private constructor(private readonly server: ReturnType<typeof createServer>) {}

  static async start(): Promise<EmbeddingServer> {
    const server = createServer();
    const embedding = new EmbeddingServer(server);
    server.on('request', (request, response) => {
      // A former test's client that still asks at this port is not the client of this one.
      if (request.method !== 'POST' || request.url !== '/v1/embeddings') {
        response.writeHead(404).end();
        return;
      }
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { input } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { input: string[] };
        embedding.asked.push(input);
        embedding.answer(response, input);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return embedding;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  /** Sets the behaviour for further requests; answers correctly by default. */
  does(answer: Answer = (response, texts) => this.embed(response, texts)): void {
    this.answer = answer;
  }

  /** As base64 if requested, otherwise as decimal numbers. */
  embed(
    response: ServerResponse,
    texts: string[],
    { dimensions = DIMENSIONS, inDecimals = false } = {},
  ): void {
    const data = texts.map((text, index) => {
      const vector = meaningOf(text, dimensions);
      const packed = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64');
      return { index, embedding: inDecimals ? [...vector] : packed };
    });
    const usage = { prompt_tokens: texts.length, total_tokens: texts.length };
    // Not in the order of the texts, which the protocol does not guarantee.
    send(response, { object: 'list', data: data.reverse(), usage });
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

export function send(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(body));
}
