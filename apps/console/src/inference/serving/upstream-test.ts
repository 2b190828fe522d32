import {
  ANTHROPIC_VERSION,
  credentialHeaders,
  type StoredUpstream,
  type UpstreamProtocol,
} from '@inference/serving';
import { type Dispatcher, request } from 'undici';
import { type UpstreamTestResponse } from './serving.dto';

const LISTING_TIMEOUT_MILLIS = 10_000;
/** A model that was not in use may have to be loaded. */
const CALL_TIMEOUT_MILLIS = 60_000;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const MAX_MODELS = 1_000;
const MAX_ERROR_CHARS = 300;

const MESSAGES = [{ role: 'user', content: 'Hi' }];
/** How the least of a model is asked for, and the list that an answer has. */
const CALLS: Record<UpstreamProtocol, { path: string; prompt: object; list: string }> = {
  chat: { path: 'chat/completions', prompt: { messages: MESSAGES, max_tokens: 1 }, list: 'choices' },
  responses: {
    path: 'responses',
    prompt: { input: 'Hi', max_output_tokens: 16, store: false },
    list: 'output',
  },
  messages: { path: 'messages', prompt: { messages: MESSAGES, max_tokens: 1 }, list: 'content' },
};

interface Answer {
  status: number;
  body: unknown;
}

/** Lists the models of an upstream and calls one: the given one, or else the first of the list. @param dispatcher makes the calls */
export async function testUpstream(
  {
    baseUrl,
    credentialHeader,
    protocols,
  }: Pick<StoredUpstream, 'baseUrl' | 'credentialHeader' | 'protocols'>,
  credential: string | null,
  model: string | undefined,
  dispatcher: Dispatcher,
): Promise<UpstreamTestResponse> {
  const root = baseUrl.replace(/\/+$/, '');
  const protocol = protocols.includes('chat') ? 'chat' : protocols[0]!;
  const headers = {
    ...(credential !== null && credentialHeaders(credentialHeader, credential, protocol)),
    ...(protocol === 'messages' && { 'anthropic-version': ANTHROPIC_VERSION }),
  };
  const listing = await answerOf(
    `${root}/models`,
    { method: 'GET', headers, dispatcher },
    LISTING_TIMEOUT_MILLIS,
  );
  const models = 'error' in listing ? [] : modelsIn(listing.body);
  const listingError =
    'error' in listing ? listing.error : models.length > 0 ? null : errorOf(listing, credential);
  const called = model ?? models[0];
  if (called === undefined) return { models, listing_error: listingError, call: null };
  const startedAt = performance.now();
  const { path, prompt, list } = CALLS[protocol];
  const body = JSON.stringify({ model: called, ...prompt });
  const answer = await answerOf(
    `${root}/${path}`,
    { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body, dispatcher },
    CALL_TIMEOUT_MILLIS,
  );
  const milliseconds = Math.round(performance.now() - startedAt);
  const call =
    'error' in answer
      ? { model: called, status: null, milliseconds, error: answer.error }
      : {
          model: called,
          status: answer.status,
          milliseconds,
          error: hasList(answer, list) ? null : errorOf(answer, credential),
        };
  return { models, listing_error: listingError, call };
}

async function answerOf(
  url: string,
  options: NonNullable<Parameters<typeof request>[1]>,
  timeoutMillis: number,
): Promise<Answer | { error: string }> {
  try {
    const response = await request(url, { ...options, signal: AbortSignal.timeout(timeoutMillis) });
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > MAX_ANSWER_BYTES) return { error: 'The answer is too long.' };
      chunks.push(chunk);
    }
    return { status: response.statusCode, body: parsed(Buffer.concat(chunks).toString('utf8')) };
  } catch (error) {
    const { name, code, message } = error as Error & { code?: string };
    return {
      error: name === 'TimeoutError' ? `No answer within ${timeoutMillis / 1000} s.` : (code ?? message),
    };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function modelsIn(body: unknown): string[] {
  const data = (body as { data?: unknown } | null)?.data;
  if (!Array.isArray(data)) return [];
  return (data as ({ id?: unknown } | null)[])
    .flatMap((model) => (typeof model?.id === 'string' ? model.id : []))
    .slice(0, MAX_MODELS);
}

const hasList = ({ status, body }: Answer, list: string): boolean =>
  status === 200 && Array.isArray((body as Record<string, unknown> | null)?.[list]);

/** What the upstream says is wrong, without the credential, which some repeat. */
function errorOf({ status, body }: Answer, credential: string | null): string {
  const error = (body as { error?: unknown } | null)?.error;
  const message =
    typeof error === 'string' ? error : (error as { message?: unknown } | null | undefined)?.message;
  const text = typeof message === 'string' ? message : 'It is no answer of the protocol.';
  const shown = credential === null ? text : text.replaceAll(credential, '…');
  return `${status}: ${shown.slice(0, MAX_ERROR_CHARS)}`;
}
