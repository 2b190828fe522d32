import { randomUUID } from 'node:crypto';
import { AgentCaller } from '../../agent/agent-calls';
import { type CallResult } from '../../load/call-result';
import { rawCall } from '../../load/raw-calls';
import { MemoCaller } from '../../memo/memo-calls';
import { askConsole } from '../../site/console-client';
import { type Customer } from '../site-customers';
import { type ReplicatedSite } from './replicated-site';

/** What one request of a customer came to. */
export interface Outcome {
  kind: string;
  /** Milliseconds since 1970. */
  startedAt: number;
  endedAt: number;
  /** Empty if the request got what it asked for. */
  fault: string;
}

const TOP_UP_DOLLARS = 5;
const PAUSE_MILLIS = 60;
/** Topping up writes mails, receipts and audit events. */
const TOP_UP_PAUSE_MILLIS = 1_500;

/** Customers who use every service through the proxy all the time, one request after the other each. */
export class Traffic {
  readonly outcomes: Outcome[] = [];
  /** Every model call, also those that failed. */
  readonly calls: CallResult[] = [];
  /** Payments that the provider has taken. */
  readonly paid: string[] = [];
  private running = true;
  private readonly kinds: Record<string, () => Promise<string>> = {
    'model call': () => this.call(false),
    'streamed model call': () => this.call(true),
    'agent turn': () => this.turn(),
    'workspace chat': () => this.chat(),
    'console page': () => this.read('console', '/api/billing/settings', this.customer.token),
    'cost report': () => this.read('router-cost', '/v1/router/cost', this.customer.apiKey),
    'training capabilities': () => this.read('training', '/v1/capabilities', this.customer.apiKey),
    'environments document': () => this.read('agent-environments', '/openapi.json'),
    'top-up': () => this.topUp(),
  };
  private workers: Promise<void>[] = [];

  constructor(
    private readonly site: ReplicatedSite,
    private readonly customer: Customer,
    private readonly workspaceId: string,
  ) {}

  start(): void {
    this.workers = Object.entries(this.kinds).map(([kind, run]) =>
      this.repeat(kind, run, kind === 'top-up' ? TOP_UP_PAUSE_MILLIS : PAUSE_MILLIS),
    );
  }

  /** The kinds of requests of which none that was started since then has succeeded, with their last faults. */
  withoutSuccessSince(millis: number): string[] {
    return Object.keys(this.kinds).flatMap((kind) => {
      const recent = this.outcomes.filter((outcome) => outcome.kind === kind && outcome.startedAt >= millis);
      return recent.some(({ fault }) => fault === '')
        ? []
        : [`${kind}: ${recent.at(-1)?.fault ?? 'no answer'}`];
    });
  }

  /** Resolves when every request that is under way has ended. */
  async stop(): Promise<void> {
    this.running = false;
    await Promise.all(this.workers);
  }

  private async repeat(kind: string, run: () => Promise<string>, pauseMillis: number): Promise<void> {
    while (this.running) {
      const startedAt = Date.now();
      const fault = await run().catch((error: Error) => error.message || error.name);
      this.outcomes.push({ kind, startedAt, endedAt: Date.now(), fault });
      await new Promise((resolve) => setTimeout(resolve, pauseMillis));
    }
  }

  private async call(stream: boolean): Promise<string> {
    const model = this.site.variables.DEFAULT_MODEL;
    const messages = [{ role: 'user', content: 'How long is the warranty?' }];
    const options = stream ? { stream, stream_options: { include_usage: true } } : {};
    const result = await rawCall({
      gatewayUrl: this.site.url('gateway'),
      apiKey: this.customer.apiKey,
      body: { model, messages, max_tokens: 16, ...options },
    });
    this.calls.push(result);
    return result.complete ? '' : `${result.status} ${result.errorCode ?? 'broken off'}`;
  }

  /** A turn in a session of its own. */
  private async turn(): Promise<string> {
    const agent = new AgentCaller(this.site.url('agent'), this.customer.apiKey);
    const stream = await agent.stream(randomUUID(), 'How long is the warranty?');
    await stream.end;
    const last = stream.events.at(-1);
    return last?.event === 'turn.completed' ? '' : JSON.stringify(last);
  }

  private async chat(): Promise<string> {
    const memo = new MemoCaller(this.site.url('memo'), { Authorization: `Bearer ${this.customer.token}` });
    const response = await memo.chat(this.workspaceId, 'Within how many days are refunds issued?');
    const answer = await response.text();
    if (response.status !== 200) return `${response.status} ${answer}`;
    return answer.includes('event: error') || !answer.includes('Citations') ? answer : '';
  }

  private async read(app: string, path: string, token?: string): Promise<string> {
    const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    const response = await fetch(this.site.url(app) + path, { headers });
    const body = await response.text();
    return response.status === 200 ? '' : `${response.status} ${body}`;
  }

  private async topUp(): Promise<string> {
    const { status, body } = await askConsole(this.site.url('console'), 'POST', '/api/billing/payments', {
      token: this.customer.token,
      json: { provider: 'card_provider', amount: TOP_UP_DOLLARS },
    });
    if (status !== 201) return `${status} ${JSON.stringify(body)}`;
    const { id } = body as { id: string };
    const { ok } = await fetch(`${this.site.paymentsUrl}/orders/${id}/pay`, { method: 'POST' });
    if (!ok) throw new Error('The provider does not take the payment.');
    this.paid.push(id);
    return '';
  }
}
