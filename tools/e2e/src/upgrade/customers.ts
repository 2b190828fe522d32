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

/** Requests a minute of the key that gets limits during the upgrade: enough for one process to draw slices. */
const PACE = 12;
const MINUTE_MILLIS = 60_000;
/** Specified: after so long a changed limit of a key is in force everywhere. */
const IN_FORCE_MILLIS = 1_000;
const PACE_REACHED = 'rate_limit_exceeded';
const SPENDING_REACHED = 'key_spend_limit_reached';

/** The public addresses of a site. */
export interface Addresses {
  console: string;
  gateway: string;
  agent: string;
  memo: string;
}

interface NewKey {
  id: string;
  key: string;
}

/** A call that was answered, by the clock of performance.now(). */
interface Answered {
  startMillis: number;
  endMillis: number;
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
  /** Without limits at first; the new version gives it some. */
  private pacedKey: NewKey = { id: '', key: '' };
  /** What the limits that it has now may answer. */
  private readonly pacedRefusals = new Set<string>();
  private pacedFromMillis = Infinity;
  private readonly paced: Answered[] = [];
  private readonly refused = new Map<string, number>();
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
    this.apiKey = (await this.newKey({ name: 'load' })).key;
    const limits = { spend_limit: CREDIT / 10, allowed_models: [MODELS[0]] };
    this.limitedKey = (await this.newKey({ name: 'limited', ...limits })).key;
    this.emptyKey = (await this.newKey({ name: 'empty', spend_limit: LEAST_LIMIT })).key;
    this.pacedKey = await this.newKey({ name: 'paced' });
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
      { name: 'paced key', run: (turn) => this.callPaced(turn), ...seldom },
      { name: 'agent turn', run: () => this.askAgent(), ...seldom },
      { name: 'memo question', run: () => this.askMemo(), ...seldom },
      { name: 'console read', run: () => this.readUsage(), ...seldom },
      { name: 'top-up', run: () => this.topUp(), ...seldom },
      { name: 'refresh', run: () => this.refresh(), ...seldom },
    ];
  }

  /** Limits the requests a minute of a key that the previous version has made, at a console of the new one. */
  async limitPace(consoleUrl: string): Promise<void> {
    this.pacedRefusals.add(PACE_REACHED);
    await this.changePaced(consoleUrl, { rpm: PACE });
    this.pacedFromMillis = performance.now() + IN_FORCE_MILLIS;
  }

  /** What the key has spent, as the console counts it. */
  async pacedSpending(): Promise<number> {
    type List = { api_keys: { id: string; spent: unknown }[] };
    const { api_keys: keys } = await this.ask<List>('GET', '/api/api-keys');
    return Number(keys.find(({ id }) => id === this.pacedKey.id)!.spent);
  }

  /** Limits what the key may spend to less than what it has spent with both versions, and waits until it is refused. */
  async limitSpending(): Promise<void> {
    this.pacedRefusals.add(SPENDING_REACHED);
    await this.changePaced(this.addresses.console, { rpm: null, spend_limit: LEAST_LIMIT });
    await waitFor(() => this.refused.has(SPENDING_REACHED), MINUTE_MILLIS);
  }

  get pacedKeyId(): string {
    return this.pacedKey.id;
  }

  get pace() {
    const { paced } = this;
    const within = paced.map(({ startMillis: from }) => {
      const inWindow = ({ startMillis, endMillis }: Answered) =>
        startMillis >= from && endMillis <= from + MINUTE_MILLIS;
      return paced.filter(inWindow).length;
    });
    return {
      limit: PACE,
      answered: paced.length,
      mostInMinute: Math.max(0, ...within),
      refused: this.refused.get(PACE_REACHED) ?? 0,
    };
  }

  private async changePaced(consoleUrl: string, json: object): Promise<void> {
    const path = `/api/api-keys/${this.pacedKey.id}`;
    await consoleBody(consoleUrl, 'PATCH', path, { token: this.token, json });
  }

  private async callPaced(turn: number): Promise<void> {
    const startMillis = performance.now();
    const result = await this.callOf(this.pacedKey.key, turn, { model: MODELS[0]! });
    const { errorCode } = result;
    if (result.complete) {
      this.calls.push(result);
      if (startMillis >= this.pacedFromMillis) this.paced.push({ startMillis, endMillis: performance.now() });
    } else if (errorCode !== null && this.pacedRefusals.has(errorCode))
      this.refused.set(errorCode, (this.refused.get(errorCode) ?? 0) + 1);
    else throw new Error(JSON.stringify(result));
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

  private newKey(json: object): Promise<NewKey> {
    return this.ask('POST', '/api/api-keys', json, 201);
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

  private callOf(apiKey: string, turn: number, fields: object): Promise<CallResult> {
    const body = {
      messages: [{ role: 'user', content: `Question ${turn}` }],
      max_tokens: 5 + (turn % 20),
      ...fields,
    };
    return rawCall({ gatewayUrl: this.addresses.gateway, apiKey, body });
  }

  private async call(apiKey: string, turn: number, fields: object, refusal?: string): Promise<void> {
    const result = await this.callOf(apiKey, turn, fields);
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
