import type { IncomingMessage } from 'node:http';
import { ApiError } from './errors';
import type { JsonObject } from './validation';

export const isForm = (contentType: string): boolean => /^multipart\/form-data\s*;/i.test(contentType);

/** The fields of a form: texts, and files as buffers. Rejects with OpenAI's 400 if it cannot be read. */
export async function formFields(body: Buffer, contentType: string): Promise<JsonObject> {
  try {
    const form = await new Response(new Uint8Array(body), {
      headers: { 'Content-Type': contentType },
    }).formData();
    const fields: JsonObject = {};
    for (const [name, value] of form)
      fields[name] = typeof value === 'string' ? value : Buffer.from(await value.arrayBuffer());
    return fields;
  } catch {
    throw new ApiError(400, 'We could not parse the form of your request.');
  }
}

const MOST_BYTES = 32 * 1024 * 1024;

/** The result of reading a body. There is none if the client disconnects before the end. */
export type BodyOutcome = { body: Buffer } | 'too large';

/** Reads a request body of at most 32 MiB . */
export function readBody(req: IncomingMessage, done: (outcome: BodyOutcome) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  req.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= MOST_BYTES) {
      chunks.push(chunk);
      return;
    }
    req.removeAllListeners('data').removeAllListeners('end').resume();
    done('too large');
  });
  req.on('end', () => {
    // Most bodies arrive in one chunk, which needs no copy.
    const whole = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, bytes);
    done({ body: whole });
  });
}
