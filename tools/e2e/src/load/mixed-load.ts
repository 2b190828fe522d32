import { type TestPrice } from '@inference/testing';
import type OpenAI from 'openai';
import { type CallResult } from './call-result';
import { weighted } from './random';
import { rawCall } from './raw-calls';
import { sdkChat, sdkClient, sdkCompletion, sdkEmbeddings, sdkStream } from './sdk-calls';

/** Failures that the model name injects into the sandbox, and the resulting status without and with streaming. */
const FAILURES: Record<string, { plain: number; streamed: number }> = {
  'status-400': { plain: 400, streamed: 400 },
  'status-429': { plain: 429, streamed: 429 },
  'status-500': { plain: 502, streamed: 502 },
  'fail-before': { plain: 502, streamed: 502 },
  hang: { plain: 504, streamed: 504 },
  'hang-mid-2': { plain: 504, streamed: 200 },
  'fail-mid-3': { plain: 502, streamed: 200 },
  'error-mid-2': { plain: 502, streamed: 200 },
  'end-mid-2': { plain: 502, streamed: 200 },
  'malformed-2': { plain: 502, streamed: 200 },
};
/** These keep a request waiting until the gateway's timeout. */
const SLOW_FAILURES = ['hang', 'hang-mid-2'];
const ODDITIES = ['no-usage', 'zero-usage', 'tokens-40'];
const SLOWLY = 'delay-15';

const SPLIT_MODEL = 'sandbox-chat';
const COMBINED_MODEL = 'sandbox-mini';
const REQUEST_MODEL = 'sandbox-embed';
const UNKNOWN_MODEL = 'sandbox-unknown';

const suffixed = (model: string) =>
  [...Object.keys(FAILURES), ...ODDITIES, SLOWLY].map((behaviour) => `${model}+${behaviour}`);

export const SPLIT_SLUGS = [SPLIT_MODEL, ...suffixed(SPLIT_MODEL)];
const COMBINED_SLUGS = [COMBINED_MODEL, ...suffixed(COMBINED_MODEL)];

/** In picos per token or per request. The rates are not round, so that a wrong sum cannot match by chance. */
const INPUT_RATE = 150_001n;
const OUTPUT_RATE = 599_999n;
const TOKEN_RATE = 377_777n;
const REQUEST_RATE = 20_000_003n;

export const PRICES: TestPrice[] = [
  ...SPLIT_SLUGS.flatMap((slug): TestPrice[] => [
    { slug, unit: 'per_million_input_tokens', ratePicos: INPUT_RATE },
    { slug, unit: 'per_million_output_tokens', ratePicos: OUTPUT_RATE },
  ]),
  ...COMBINED_SLUGS.map((slug): TestPrice => ({ slug, unit: 'per_million_tokens', ratePicos: TOKEN_RATE })),
  { slug: REQUEST_MODEL, unit: 'per_request', ratePicos: REQUEST_RATE },
];

/** The expected cost of a request in picos, calculated independently of the product's code. */
export function costOf(model: string, inputTokens: number, outputTokens: number): bigint {
  if (model === REQUEST_MODEL) return REQUEST_RATE;
  const [input, output] = [BigInt(inputTokens), BigInt(outputTokens)];
  if (model.startsWith(COMBINED_MODEL)) return (input + output) * TOKEN_RATE;
  return input * INPUT_RATE + output * OUTPUT_RATE;
}

export interface LoadKey {
  account: string;
  apiKey: string;
  /** Null: all models. */
  allowedModels: readonly string[] | null;
  /** The wallet is so small that requests may be rejected for insufficient funds. */
  isShort: boolean;
}

export interface Job {
  key: LoadKey;
  model: string;
  /** The status unless the funds are insufficient. A client that disconnects early gets it too. */
  expectedStatus: number;
  leavesEarly: boolean;
  run(): Promise<CallResult>;
}

type Kind =
  | 'plain'
  | 'stream'
  | 'stream-usage'
  | 'leave'
  | 'completion'
  | 'embedding'
  | 'failure'
  | 'odd'
  | 'unknown';

const KINDS: readonly (readonly [number, Kind])[] = [
  [24, 'plain'],
  [22, 'stream'],
  [10, 'stream-usage'],
  [12, 'leave'],
  [8, 'completion'],
  [8, 'embedding'],
  [12, 'failure'],
  [3, 'odd'],
  [1, 'unknown'],
];

const MAX_TOKENS = [undefined, 1, 7, 24, 33];

function requestOf(random: () => number, model: string, isShort: boolean) {
  const content = `Tell me ${'more '.repeat(Math.floor(random() * 12))}about ${Math.floor(random() * 1e6)}.`;
  // Without a limit the gateway would reserve far more than the balance of a small wallet.
  const limits = isShort ? MAX_TOKENS.slice(1) : MAX_TOKENS;
  const maxTokens = limits[Math.floor(random() * limits.length)];
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content }];
  return { model, messages, ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }) };
}

/** Returns one request of the mix. The choice depends only on `random`. */
export function mixedJob(
  random: () => number,
  keys: readonly LoadKey[],
  gatewayUrls: readonly string[],
): Job {
  const key = keys[Math.floor(random() * keys.length)]!;
  const gatewayUrl = gatewayUrls[Math.floor(random() * gatewayUrls.length)]!;
  const base = random() < 0.5 ? SPLIT_MODEL : COMBINED_MODEL;
  const headers: Record<string, string> = random() < 0.3 ? { 'X-Entrypoint': 'batch' } : {};
  const kind = weighted(random, KINDS);
  const client = sdkClient(gatewayUrl, key.apiKey);
  const job = (model: string, run: Job['run'], expectedStatus = 200, leavesEarly = false): Job => {
    const isAllowed = key.allowedModels === null || key.allowedModels.includes(model);
    const isRefused = !isAllowed && model !== UNKNOWN_MODEL;
    return { key, model, expectedStatus: isRefused ? 403 : expectedStatus, leavesEarly, run };
  };
  const request = requestOf(random, base, key.isShort);
  switch (kind) {
    case 'plain':
      return job(base, () => sdkChat(client, request, headers));
    case 'stream':
      return job(base, () => sdkStream(client, request, headers));
    case 'stream-usage':
      return job(base, () =>
        sdkStream(client, { ...request, stream_options: { include_usage: true } }, headers),
      );
    case 'leave': {
      const model = `${base}+${SLOWLY}`;
      const leaveAfterChunks = 1 + Math.floor(random() * 3);
      const body = { ...request, model, max_tokens: 24, stream: true };
      return job(
        model,
        () => rawCall({ gatewayUrl, apiKey: key.apiKey, body, headers, leaveAfterChunks }),
        200,
        true,
      );
    }
    case 'completion':
      return job(base, () => sdkCompletion(client, base, 'Once upon a time'));
    case 'embedding':
      return job(REQUEST_MODEL, () => sdkEmbeddings(client, REQUEST_MODEL, ['one text', 'another']));
    case 'odd': {
      const model = `${base}+${ODDITIES[Math.floor(random() * ODDITIES.length)]!}`;
      return job(model, () => sdkChat(client, { ...request, model }, headers));
    }
    case 'unknown':
      return job(UNKNOWN_MODEL, () => sdkChat(client, { ...request, model: UNKNOWN_MODEL }, headers), 404);
    case 'failure': {
      const names = Object.keys(FAILURES).filter((name) => !SLOW_FAILURES.includes(name) || random() < 0.2);
      const name = names[Math.floor(random() * names.length)]!;
      const stream = random() < 0.6;
      const body = { ...request, model: `${base}+${name}`, stream };
      const expected = FAILURES[name]![stream ? 'streamed' : 'plain'];
      return job(body.model, () => rawCall({ gatewayUrl, apiKey: key.apiKey, body, headers }), expected);
    }
  }
}
