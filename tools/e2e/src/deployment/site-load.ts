import { TestPool } from '@inference/testing';
import { type CallResult, type CallUsage } from '../load/call-result';
import { rawCall } from '../load/raw-calls';
import { consoleBody } from '../site/console-client';
import { type Platform } from './site-runs';

const MODEL = 'sandbox-chat';
/** The prices that the first start publishes, in picos a token. */
const INPUT_RATE = 500_000n;
const OUTPUT_RATE = 1_500_000n;
const PAYERS = 1;
const CALLERS = 6;
export const TOPUP_AMOUNT = 5;
const AFTER_FAILURE_MILLIS = 200;
const BETWEEN_TOPUPS_MILLIS = 1_000;

export const siteCost = ({ inputTokens, outputTokens }: CallUsage): bigint =>
  BigInt(inputTokens) * INPUT_RATE + BigInt(outputTokens) * OUTPUT_RATE;

/** Customers of a site of `npm start` that go on until they are stopped, whatever fails: calls of a model, and top-ups. */
export class SiteLoad {
  readonly results: CallResult[] = [];
  /** Payments that the sandbox has acknowledged. */
  readonly paid = new Set<string>();
  private running = true;
  private token = '';
  private readonly workers: Promise<void>[];

  constructor(private readonly platform: Platform) {
    this.workers = [
      ...Array.from({ length: CALLERS }, (_, index) => this.repeat((turn) => this.call(turn + index))),
      ...Array.from({ length: PAYERS }, () => this.repeat(() => this.topUp())),
    ];
  }

  async stop(): Promise<void> {
    this.running = false;
    await Promise.all(this.workers);
  }

  /** A call that is not part of the load. */
  async isAnswered(): Promise<boolean> {
    const result = await this.ask(false, 2);
    this.results.push(result);
    return result.complete;
  }

  /** Signs in again if the session has ended. */
  async ofConsole<T>(
    method: string,
    path: string,
    options: { json?: unknown; status?: number } = {},
  ): Promise<T> {
    const { urls, accounts } = this.platform;
    const { identifier, password } = accounts.demo;
    if (!this.token) {
      const json = { identifier, password };
      this.token = (
        await consoleBody<{ token: string }>(urls.console!, 'POST', '/api/auth/login', { json })
      ).token;
    }
    try {
      return await consoleBody<T>(urls.console!, method, path, { token: this.token, ...options });
    } catch (error) {
      if (/answered 401/.test((error as Error).message)) this.token = '';
      throw error;
    }
  }

  private async repeat(work: (turn: number) => Promise<boolean>): Promise<void> {
    for (let turn = 0; this.running; turn++) {
      const succeeded = await work(turn).catch(() => false);
      if (!succeeded) await new Promise((resolve) => setTimeout(resolve, AFTER_FAILURE_MILLIS));
    }
  }

  private async call(turn: number): Promise<boolean> {
    const result = await this.ask(turn % 2 === 0, 5 + (turn % 40));
    this.results.push(result);
    return result.status === 200;
  }

  private ask(stream: boolean, maxTokens: number): Promise<CallResult> {
    const { urls, accounts } = this.platform;
    return rawCall({
      gatewayUrl: urls.gateway!,
      apiKey: accounts.demo.apiKey,
      body: {
        model: MODEL,
        max_tokens: maxTokens,
        messages: [{ role: 'user', content: 'Are you there?' }],
        ...(stream && { stream, stream_options: { include_usage: true } }),
      },
    });
  }

  private async topUp(): Promise<boolean> {
    const payment = await this.ofConsole<{ id: string }>('POST', '/api/billing/payments', {
      json: { provider: 'card_provider', amount: TOPUP_AMOUNT },
      status: 201,
    });
    const answer = await fetch(`${this.platform.sandbox.payments}/orders/${payment.id}/pay`, {
      method: 'POST',
    });
    if (answer.status === 200) this.paid.add(payment.id);
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_TOPUPS_MILLIS));
    return true;
  }
}

/** Connected to the database of the site as its owner. */
export const ownerPool = ({ database }: Platform) =>
  TestPool.of({ url: database.url, applicationName: 'test', size: 2 });
