import { type WireNotification } from '../protocol';

const DEFAULT_TIMEOUT_MS = 10_000;
const MAX_ANSWER_CHARS = 1_000;

export type PostAnswer =
  { status: number; body: string; error: null } | { status: null; body: null; error: string };

/** Posts the notification once, without following redirects. Returns the error if there is no response in time. */
export async function post(
  { url, headers, body }: WireNotification,
  timeoutMs = DEFAULT_TIMEOUT_MS,
): Promise<PostAnswer> {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    return { status: response.status, body: await beginningOf(response), error: null };
  } catch (error) {
    return { status: null, body: null, error: reasonOf(error) };
  }
}

async function beginningOf(response: Response): Promise<string> {
  let text = '';
  if (!response.body) return text;
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.length > MAX_ANSWER_CHARS) return text.slice(0, MAX_ANSWER_CHARS);
  }
  return text;
}

/** The reason of a failed connection is in the cause of the error, which may have only a code. */
function reasonOf(error: unknown): string {
  const { cause = error } = Object(error) as { cause?: unknown };
  const { message, code } = Object(cause) as { message?: string; code?: string };
  return message || code || String(cause);
}
