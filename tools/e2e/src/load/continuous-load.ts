import { type TestPrice } from '@inference/testing';
import type OpenAI from 'openai';
import { type CallResult } from './call-result';
import { rawCall } from './raw-calls';
import { sdkChat, sdkClient, sdkStream } from './sdk-calls';

/** Slow models, so that many requests are in progress at any moment with little processor time. */
const MODELS = ['sandbox-chat+delay-4', 'sandbox-mini+delay-10'];
const INPUT_RATE = 70_001n;
const OUTPUT_RATE = 210_007n;
const AFTER_REFUSAL_MILLIS = 150;

export const LOAD_PRICES: TestPrice[] = MODELS.flatMap((slug): TestPrice[] => [
  { slug, unit: 'per_million_input_tokens', ratePicos: INPUT_RATE },
  { slug, unit: 'per_million_output_tokens', ratePicos: OUTPUT_RATE },
]);

export const loadCost = ({
  inputTokens,
  outputTokens,
}: {
  inputTokens: number;
  outputTokens: number;
}): bigint => BigInt(inputTokens) * INPUT_RATE + BigInt(outputTokens) * OUTPUT_RATE;

/** Clients that send requests continuously until they are stopped, even if gateways fail. */
export class ContinuousLoad {
  readonly results: CallResult[] = [];
  inFlight = 0;
  private running = true;
  private readonly workers: Promise<void>[];

  constructor(
    private readonly gatewayUrls: readonly string[],
    private readonly apiKeys: readonly string[],
    concurrency: number,
  ) {
    this.workers = Array.from({ length: concurrency }, (_, index) => this.work(index));
  }

  async stop(): Promise<CallResult[]> {
    this.running = false;
    await Promise.all(this.workers);
    return this.results;
  }

  private async work(worker: number): Promise<void> {
    for (let turn = worker; this.running; turn++) {
      this.inFlight++;
      const result = await this.call(turn).finally(() => this.inFlight--);
      this.results.push(result);
      if (result.status !== 200) await new Promise((resolve) => setTimeout(resolve, AFTER_REFUSAL_MILLIS));
    }
  }

  private call(turn: number): Promise<CallResult> {
    const gatewayUrl = this.gatewayUrls[turn % this.gatewayUrls.length]!;
    const apiKey = this.apiKeys[(turn >> 1) % this.apiKeys.length]!;
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: `Question ${turn}` }];
    const request = { model: MODELS[(turn >> 2) % MODELS.length]!, messages, max_tokens: 5 + (turn % 20) };
    const withUsage = { ...request, stream_options: { include_usage: true } };
    switch ((turn >> 3) % 4) {
      case 0:
        return rawCall({ gatewayUrl, apiKey, body: request });
      case 1:
        return rawCall({ gatewayUrl, apiKey, body: { ...withUsage, stream: true } });
      case 2:
        return sdkChat(sdkClient(gatewayUrl, apiKey), request);
      default:
        return sdkStream(sdkClient(gatewayUrl, apiKey), withUsage);
    }
  }
}
