import OpenAI, { APIError } from 'openai';
import { broken, type CallResult, usageOf } from './call-result';

/** As long as `fetch` itself waits for a response, so that a machine that stands still for a while fails no call. */
const TIMEOUT_MILLIS = 300_000;

/** The official client without retries. */
export function sdkClient(gatewayUrl: string, apiKey: string): OpenAI {
  return new OpenAI({ baseURL: `${gatewayUrl}/v1`, apiKey, maxRetries: 0, timeout: TIMEOUT_MILLIS });
}

type Headers = Record<string, string>;
export type ChatRequest = Omit<OpenAI.ChatCompletionCreateParamsNonStreaming, 'stream'>;

/** The result of a rejected or broken call. Other errors are programming errors and are thrown again. */
function resultOf(error: unknown, requestId: string | null): CallResult {
  if (error instanceof APIError) {
    const id = requestId ?? error.headers?.get('x-inference-request-id') ?? null;
    return { ...broken(error), status: error.status ?? 0, requestId: id, errorCode: error.code ?? null };
  }
  // The connection broke in the body. Checked by name, because the class belongs to another realm than the test.
  if ((error as Error).name === 'TypeError') return { ...broken(error), requestId };
  throw error;
}

interface Answered<T> {
  data: T;
  response: Response;
}

async function answered<T extends { usage?: unknown }>(call: Promise<Answered<T>>): Promise<CallResult> {
  try {
    const { data, response } = await call;
    return {
      status: response.status,
      requestId: response.headers.get('x-inference-request-id'),
      complete: true,
      usage: usageOf(data.usage),
      errorCode: null,
    };
  } catch (error) {
    return resultOf(error, null);
  }
}

export function sdkChat(client: OpenAI, request: ChatRequest, headers: Headers = {}): Promise<CallResult> {
  return answered(client.chat.completions.create(request, { headers }).withResponse());
}

export function sdkCompletion(client: OpenAI, model: string, prompt: string): Promise<CallResult> {
  return answered(client.completions.create({ model, prompt, max_tokens: 12 }).withResponse());
}

export function sdkEmbeddings(client: OpenAI, model: string, input: string[]): Promise<CallResult> {
  return answered(client.embeddings.create({ model, input, encoding_format: 'float' }).withResponse());
}

/** `complete` is true if a chunk has a finish reason and the stream ends without an error. */
export async function sdkStream(
  client: OpenAI,
  request: ChatRequest & { stream_options?: { include_usage: boolean } },
  headers: Headers = {},
): Promise<CallResult> {
  let requestId: string | null = null;
  let status = 0;
  try {
    const call = client.chat.completions.create({ ...request, stream: true }, { headers });
    const { data: stream, response } = await call.withResponse();
    status = response.status;
    requestId = response.headers.get('x-inference-request-id');
    let complete = false;
    let usage: CallResult['usage'] = null;
    for await (const chunk of stream) {
      if (chunk.choices.some(({ finish_reason: reason }) => reason)) complete = true;
      usage = usageOf(chunk.usage) ?? usage;
    }
    return { status, requestId, complete, usage, errorCode: null };
  } catch (error) {
    const result = resultOf(error, requestId);
    return status === 0 ? result : { ...result, status };
  }
}
