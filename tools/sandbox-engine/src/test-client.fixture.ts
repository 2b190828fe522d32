const DEADLINE_MS = 30_000;

/** Calls an engine without a client library, so that specs can check every byte and every broken connection. */
export class TestClient {
  constructor(private readonly url: string) {}

  /** Sends a chat request of one message with one word: 5 prompt tokens. */
  post(model: string, extra: object = {}, init: RequestInit = {}): Promise<Response> {
    const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }], ...extra });
    return fetch(`${this.url}/v1/chat/completions`, { method: 'POST', body, ...init });
  }
}

export const PROMPT_TOKENS = 5;

/** The `x-sandbox` header of a request. */
export function withSandboxHeader(header: string): RequestInit {
  return { headers: { 'x-sandbox': header } };
}

/** All received text, and whether the connection broke before the end of the answer. */
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

/** The number of tokens of a streamed chat. */
export function tokensIn(text: string): number {
  return text.split('"delta":{"content":"').length - 1;
}

/** Resolves when `condition` is true. Rejects after 30 s. */
export async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + DEADLINE_MS;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('the condition never became true');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
