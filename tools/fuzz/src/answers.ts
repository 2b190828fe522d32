import { Agent, request as send } from 'undici';

/** Streams stay open while nothing happens. */
const STREAM_MILLIS = 1_000;
const TIMEOUT_MILLIS = 60_000;

export interface Answer {
  status: number;
  headers: Record<string, unknown>;
  body: Buffer;
  /** The stream was left before its end. */
  isPart: boolean;
  millis: number;
}

export const connections = (count: number): Agent =>
  new Agent({ connections: count, headersTimeout: TIMEOUT_MILLIS });

/** Sends a request and reads the response, of an endless stream the beginning. */
export async function answerOf(url: string, options: Parameters<typeof send>[1]): Promise<Answer> {
  const startedAt = performance.now();
  const { statusCode: status, headers, body } = await send(url, options);
  const { isPart, bytes } = await readBody(body, String(headers['content-type'] ?? ''));
  return { status, headers, body: bytes, isPart, millis: performance.now() - startedAt };
}

/** The JSON of a response, if it is JSON. */
export function jsonOf({ headers, body }: Answer): unknown {
  if (!String(headers['content-type']).includes('json')) return undefined;
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

async function readBody(body: AsyncIterable<Buffer> & { destroy(): void }, contentType: string) {
  const chunks: Buffer[] = [];
  let isPart = false;
  const timer = setTimeout(
    () => {
      isPart = true;
      body.destroy();
    },
    contentType.startsWith('text/event-stream') ? STREAM_MILLIS : TIMEOUT_MILLIS,
  );
  try {
    for await (const chunk of body) chunks.push(chunk);
  } catch (error) {
    if (!isPart) throw error;
  } finally {
    clearTimeout(timer);
  }
  return { isPart, bytes: Buffer.concat(chunks) };
}
