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
