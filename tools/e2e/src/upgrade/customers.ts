import { rememberAnswer, rememberSecret, waitFor } from '@inference/testing';
import { type SandboxPayments } from '@inference/sandbox-payments';
import { AgentCaller, endsResponse } from '../agent/agent-calls';
import { type CallResult } from '../load/call-result';
import { LOAD_PRICES } from '../load/continuous-load';
import { rawCall } from '../load/raw-calls';
import { MemoCaller } from '../memo/memo-calls';
import { consoleBody } from '../site/console-client';
import { type Activity } from './upgrade-load';

/** Units of the currency. */
const CREDIT = 1_000_000;
const TOP_UP = 10;
const LEAST_LIMIT = 0.000001;
const PICOS_PER_UNIT = 1e6;
/** The two models of the load take some milliseconds for a token. */
export const MODELS = [...new Set(LOAD_PRICES.map(({ slug }) => slug))];
const DOCUMENT = { title: 'Refund policy', text: 'Refunds are issued within five days of the return.' };
const QUESTION = 'Within how many days are refunds issued?';
/** What memo answers, without a call of the model, if it finds no passage. */
const NOT_FOUND = 'The documents of this workspace do not answer that.';

/** The public addresses of a site. */
export interface Addresses {
  console: string;
  gateway: string;
  agent: string;
  memo: string;
}

interface Session {
  token: string;
  user: { id: string };
}

/** Publishes the prices of the load as an administrator. */
export async function publishLoadPrices(
  consoleUrl: string,
  admin: { email: string; password: string },
): Promise<string> {
  const { token } = await consoleBody<Session>(consoleUrl, 'POST', '/api/auth/login', {
    json: { identifier: admin.email, password: admin.password },
  });
  const models = LOAD_PRICES.map(({ slug, unit, ratePicos }) => ({
    slug,
    unit,
    price: Number(ratePicos) / PICOS_PER_UNIT,
  }));
  await consoleBody(consoleUrl, 'PUT', '/api/admin/billing/pricing/models', { token, json: { models } });
  return token;
}

/** A customer of a site, who uses all of it through the public addresses. */
export class Customer {
  /** Calls of models at the gateway that were answered completely. */
  readonly calls: CallResult[] = [];
  /** Counts what was acknowledged. */
  topUps = 0;
  turns = 0;
  questions = 0;
  /** Questions whose document memo did not find, so that no model was called. */
  unfound = 0;
  /** Streams of agents that were cut and went on at another replica. */
  resumed = 0;
  private token = '';
  private refreshCookie = '';
  private apiKey = '';
  /** With a limit of its own, and with one model. */
  private limitedKey = '';
  /** With a limit that no call keeps to. */
  private emptyKey = '';
  private workspace = '';

  constructor(
    private readonly addresses: Addresses,
    private readonly payments: SandboxPayments,
  ) {}

  /** Registers, gets credit and a key, and uploads a document. */
  async open(adminToken: string, person: { email: string; password: string }): Promise<void> {
    const { console: consoleUrl, memo } = this.addresses;
    rememberSecret(person.password);
    await consoleBody(consoleUrl, 'POST', '/api/auth/register', { json: person, status: 201 });
    const { user } = await this.signIn(
      '/api/auth/login',
      {
        'Content-Type': 'application/json',
      },
      JSON.stringify({ identifier: person.email, password: person.password }),
    );
    await consoleBody(consoleUrl, 'POST', '/api/admin/billing/adjustments', {
      token: adminToken,
      json: { account_id: user.id, amount: CREDIT, description: 'Credit' },
      status: 201,
    });
    this.apiKey = await this.newKey({ name: 'load' });
    this.limitedKey = await this.newKey({
      name: 'limited',
      spend_limit: CREDIT / 10,
      allowed_models: [MODELS[0]],
    });
    this.emptyKey = await this.newKey({ name: 'empty', spend_limit: LEAST_LIMIT });
    const caller = new MemoCaller(memo, this.bearer);
    this.workspace = await caller.newWorkspace();
    await caller.addDocument(this.workspace, DOCUMENT);
  }

  get activities(): Activity[] {
    const often = { clients: 2, pauseMillis: 100 };
    const seldom = { clients: 1, pauseMillis: 300 };
    return [
      { name: 'model call', run: (turn) => this.callModel(turn, false), ...often },
      { name: 'model stream', run: (turn) => this.callModel(turn, true), ...often },
      { name: 'limited key', run: (turn) => this.callWithLimits(turn), ...seldom },
      { name: 'agent turn', run: () => this.askAgent(), ...seldom },
      { name: 'memo question', run: () => this.askMemo(), ...seldom },
      { name: 'console read', run: () => this.readUsage(), ...seldom },
      { name: 'top-up', run: () => this.topUp(), ...seldom },
      { name: 'refresh', run: () => this.refresh(), ...seldom },
    ];
  }

  private get bearer() {
    return { Authorization: `Bearer ${this.token}` };
  }

  private ask<T>(method: string, path: string, json?: unknown, status = 200): Promise<T> {
    return consoleBody<T>(this.addresses.console, method, path, { token: this.token, json, status });
  }

  /** Takes the session of an answer, and the cookie that continues it. */
  private async signIn(path: string, headers: Record<string, string>, body?: string): Promise<Session> {
    const response = await fetch(this.addresses.console + path, {
      method: 'POST',
      headers,
      body: body ?? null,
    });
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    const session = (await response.json()) as Session;
    rememberAnswer(response.headers, session);
    const cookie = response.headers.getSetCookie().find((line) => /^(__Secure-)?refresh=[^;]/.test(line));
    if (!cookie) throw new Error(`${path} set no cookie.`);
    this.refreshCookie = cookie.split(';')[0]!;
    this.token = session.token;
    return session;
  }

  private async newKey(json: object): Promise<string> {
    return (await this.ask<{ key: string }>('POST', '/api/api-keys', json, 201)).key;
  }

  private async callModel(turn: number, stream: boolean): Promise<void> {
    await this.call(this.apiKey, turn, {
      model: MODELS[turn % MODELS.length]!,
      ...(stream && { stream, stream_options: { include_usage: true } }),
    });
  }

  /** What the keys may do is done, and what they may not is refused, by each version. */
  private async callWithLimits(turn: number): Promise<void> {
    await this.call(this.limitedKey, turn, { model: MODELS[0]! });
    await this.call(this.limitedKey, turn, { model: MODELS[1]! }, 'model_not_allowed');
    await this.call(this.emptyKey, turn, { model: MODELS[0]! }, 'key_spend_limit_reached');
  }

  private async call(apiKey: string, turn: number, fields: object, refusal?: string): Promise<void> {
    const body = {
      messages: [{ role: 'user', content: `Question ${turn}` }],
      max_tokens: 5 + (turn % 20),
      ...fields,
    };
    const result = await rawCall({ gatewayUrl: this.addresses.gateway, apiKey, body });
    if (refusal === undefined ? !result.complete : result.errorCode !== refusal)
      throw new Error(JSON.stringify(result));
    if (refusal === undefined) this.calls.push(result);
  }

  /** Streams a turn, and resumes it if its replica sends the client away. */
  private async askAgent(): Promise<void> {
    const caller = new AgentCaller(this.addresses.agent, this.apiKey);
    const created = await caller.ask('POST', '', { model: MODELS[0] });
    if (created.status !== 201) throw new Error(JSON.stringify(created));
    const { id } = created.body as { id: string };
    let stream = await caller.stream(id, 'Tell me something');
    await stream.end;
    for (; ; this.resumed++) {
      const last = stream.events.at(-1);
      if (last?.event === 'turn.completed') break;
      if (last && endsResponse(last)) throw new Error(JSON.stringify(last));
      stream = await caller.resume(id, last?.id);
      await stream.end;
    }
    this.turns++;
  }

  private async askMemo(): Promise<void> {
    const caller = new MemoCaller(this.addresses.memo, this.bearer);
    const response = await caller.chat(this.workspace, QUESTION);
    const answer = await response.text();
    if (response.status !== 200 || !answer.includes('data: Citations: '))
      throw new Error(`${response.status} ${answer}`);
    if (answer.includes(NOT_FOUND)) this.unfound++;
    else this.questions++;
  }

  private async readUsage(): Promise<void> {
    await this.ask('GET', '/api/billing/usage');
    await this.ask('GET', '/api/billing/transactions');
  }

  private async topUp(): Promise<void> {
    const payment = { provider: 'card_provider', amount: TOP_UP };
    const { id } = await this.ask<{ id: string }>('POST', '/api/billing/payments', payment, 201);
    await this.payments.act(id, 'pay');
    const path = `/api/billing/payments/${id}`;
    await waitFor(async () => (await this.ask<{ status: string }>('GET', path)).status === 'paid');
    this.topUps++;
  }

  private async refresh(): Promise<void> {
    await this.signIn('/api/auth/refresh', { Cookie: this.refreshCookie });
  }
}
