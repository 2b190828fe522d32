const DEADLINE_MS = 30_000;

/** Drives an engine as its specs need it: raw, so that every byte and every break is seen. */
export class TestClient {
  constructor(private readonly url: string) {}

  /** A chat request of one message of one word: 5 prompt tokens. */
  post(model: string, extra: object = {}, init: RequestInit = {}): Promise<Response> {
    const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }], ...extra });
    return fetch(`${this.url}/v1/chat/completions`, { method: 'POST', body, ...init });
  }
}

export const PROMPT_TOKENS = 5;

/** A request's `x-sandbox` header. */
export function told(header: string): RequestInit {
  return { headers: { 'x-sandbox': header } };
}

/** Everything that arrived, and whether the connection broke before the answer's end. */
export async function readAll(response: Response): Promise<{ text: string; reads: number; broke: boolean }> {
  const decoder = new TextDecoder();
  let text = '';
  let reads = 0;
  try {
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      reads += 1;
    }
    return { text, reads, broke: false };
  } catch {
    return { text, reads, broke: true };
  }
}

/** How many tokens a streamed chat holds. */
export function tokensIn(text: string): number {
  return text.split('"delta":{"content":"').length - 1;
}

/** Resolves as soon as `condition` is true; rejects when it has not become so in half a minute. */
export async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + DEADLINE_MS;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('the condition never became true');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
