import { broken, type CallResult, usageOf } from './call-result';

export interface RawCall {
  gatewayUrl: string;
  apiKey: string;
  path?: 'chat/completions' | 'completions' | 'embeddings';
  body: Record<string, unknown>;
  headers?: Record<string, string>;
  /** Disconnects in the middle of a stream, after this number of chunks. */
  leaveAfterChunks?: number;
  onFirstChunk?: () => void;
}

const DONE = 'data: [DONE]';

/** Reads until the end or until `leaveAfterChunks`. `broke` is true if the end was not reached. */
async function readBody(
  response: Response,
  { leaveAfterChunks = Infinity, onFirstChunk }: RawCall,
): Promise<{ text: string; broke: boolean }> {
  const decoder = new TextDecoder();
  let text = '';
  let chunks = 0;
  try {
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      if (chunks === 0) onFirstChunk?.();
      // Leaving the loop cancels the body, which closes the connection.
      if (++chunks >= leaveAfterChunks) return { text, broke: true };
    }
    return { text, broke: false };
  } catch {
    return { text, broke: true };
  }
}

function errorCodeOf(text: string): string | null {
  try {
    const { error } = JSON.parse(text) as { error?: { code?: unknown } };
    return typeof error?.code === 'string' ? error.code : null;
  } catch {
    return null;
  }
}

function usageIn(text: string): CallResult['usage'] {
  try {
    return usageOf((JSON.parse(text) as { usage?: unknown }).usage);
  } catch {
    return null;
  }
}

function streamUsage(text: string): CallResult['usage'] {
  const events = text.split('\n').filter((line) => line.startsWith('data: {'));
  return events.reduce<CallResult['usage']>((found, line) => usageIn(line.slice(6)) ?? found, null);
}

/** Sends a request without a client library. `complete`: the JSON body is complete, or `[DONE]` has arrived. */
export async function rawCall(call: RawCall): Promise<CallResult> {
  let response: Response;
  try {
    response = await fetch(`${call.gatewayUrl}/v1/${call.path ?? 'chat/completions'}`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Authorization: `Bearer ${call.apiKey}`,
        ...call.headers,
      },
      body: JSON.stringify(call.body),
    });
  } catch (error) {
    return broken(error);
  }
  const { status, headers } = response;
  const requestId = headers.get('x-inference-request-id');
  const { text, broke } = await readBody(response, call);
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  if (isStream) {
    const usage = streamUsage(text);
    return { status, requestId, complete: text.includes(DONE), usage, errorCode: null };
  }
  const complete = status < 400 && !broke && errorCodeOf(text) === null;
  return { status, requestId, complete, usage: usageIn(text), errorCode: errorCodeOf(text) };
}
