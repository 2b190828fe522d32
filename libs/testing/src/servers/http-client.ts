import request from 'supertest';

export interface Answer {
  status: number;
  headers: Headers;
  /** The unparsed body, for exact numbers. */
  text: string;
  /** Parsed JSON, or undefined for an empty body and other content. */
  body: unknown;
}

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete' | 'head' | 'options';

/** Sends one request to a running service. Redirects are not followed. */
export async function sendRequest(
  url: string,
  method: string,
  path: string,
  { headers = {}, content }: { headers?: Record<string, string>; content?: string | Buffer } = {},
): Promise<Answer> {
  const prepared = request(url)[method.toLowerCase() as Method](path).set(headers);
  const response = await prepared
    .buffer(true)
    .parse((stream, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(Buffer.from(chunk)));
      stream.on('end', () => done(null, Buffer.concat(chunks).toString()));
    })
    .send(content);
  const text = typeof response.body === 'string' ? response.body : '';
  const received = headersOf(response.headers as Record<string, string | string[]>);
  const isJson = received.get('content-type')?.startsWith('application/json') ?? false;
  return {
    status: response.status,
    headers: received,
    text,
    body: isJson && text !== '' ? (JSON.parse(text) as unknown) : undefined,
  };
}

/** A header such as Set-Cookie may come several times. */
function headersOf(received: Record<string, string | string[]>): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(received))
    for (const value of [values].flat()) headers.append(name, value);
  return headers;
}
