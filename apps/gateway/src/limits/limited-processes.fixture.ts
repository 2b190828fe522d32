import { NotificationChannel } from '@inference/database';
import { Metrics } from '@inference/http';
import { type ModelLimits } from '@inference/rate-limits';
import {
  createTestDatabase,
  insertAccount,
  type TestAccount,
  type TestDatabase,
  TestPool,
} from '@inference/testing';
import { ENTITIES } from '../entities';
import { GatewayError } from '../errors/openai-error';
import { readProxyRequest } from '../proxy/request/proxy-request';
import { promptTokens } from '../proxy/usage/prompt-tokens';
import { AccountLimits } from './account-limits';
import { LimitMetrics } from './limit-metrics';
import { type LimitsConfig } from './limits.config';
import { LimitsService, type LimitTicket } from './limits.service';

export const WINDOW_SECONDS = 2;
/** A short minute, so that no test waits for a whole one. */
export const CONFIG: LimitsConfig = {
  tiers: [],
  windowSeconds: WINDOW_SECONDS,
  sliceSeconds: 0.17,
  slotsTtlSeconds: 1.2,
};
export const NONE: ModelLimits = {
  requestsPerMinute: null,
  tokensPerMinute: null,
  tokensPerDay: null,
  maxConcurrency: null,
};
export const sleep = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis));

/** As one process of the gateway has it. */
export interface Process {
  limits: LimitsService;
  metrics: Metrics;
  pool: TestPool;
  stop(): Promise<void>;
  /** Without giving anything back. */
  kill(): Promise<void>;
}

const bodyWith = (maxTokens: number) =>
  Buffer.from(
    JSON.stringify({
      model: 'chat',
      max_tokens: maxTokens,
      messages: [{ role: 'user', content: 'Hello' }],
    }),
  );
/** What `max_tokens` adds to. */
export const PROMPT_TOKENS = promptTokens(readProxyRequest('chat/completions', bodyWith(10)));

/** Processes that share the limits of one account in a database. */
export class LimitedProcesses {
  account!: TestAccount;
  private processes: Process[] = [];

  private constructor(readonly database: TestDatabase) {}

  static async create(): Promise<LimitedProcesses> {
    return new LimitedProcesses(await createTestDatabase(ENTITIES));
  }

  async newAccount(): Promise<void> {
    this.account = await insertAccount(this.database.pool);
  }

  async stopAll(): Promise<void> {
    await Promise.all(this.processes.splice(0).map((one) => one.stop()));
  }

  async start(config: Partial<LimitsConfig> = {}): Promise<Process> {
    const url = this.database.urlFor('gateway');
    const pool = await TestPool.withEntities({ url, applicationName: 'limits', size: 4 }, ENTITIES);
    const channel = new NotificationChannel(url, 'limits');
    const all = { ...CONFIG, ...config };
    const accounts = new AccountLimits(pool, all, channel);
    const metrics = new Metrics();
    const limits = new LimitsService(pool, all, accounts, new LimitMetrics(metrics));
    await channel.start();
    accounts.onApplicationBootstrap();
    limits.onApplicationBootstrap();
    let stopped: Promise<void> | undefined;
    const end = async (isGraceful: boolean) => {
      accounts.onApplicationShutdown();
      if (isGraceful) await limits.onApplicationShutdown();
      else clearInterval((limits as unknown as { timer: NodeJS.Timeout }).timer);
      await channel.close();
      await pool.end();
    };
    const process = {
      limits,
      metrics,
      pool,
      stop: () => (stopped ??= end(true)),
      kill: () => (stopped ??= end(false)),
    };
    this.processes.push(process);
    return process;
  }

  /** @param pace limits of the key; null: none */
  requestOf(pace: Partial<ModelLimits> | null, maxTokens = 10) {
    const request = readProxyRequest('chat/completions', bodyWith(maxTokens));
    const { accountId, apiKeyId } = this.account;
    const apiKey = {
      id: apiKeyId,
      spendLimited: false,
      allowedModels: null,
      reportsCost: true,
      ...(pace && { pace: { ...NONE, ...pace } }),
    };
    const caller = { accountId, role: 'user' as const, apiKey };
    return {
      call: { caller, endpoint: 'chat/completions' as const },
      model: request.model,
      promptTokens: () => promptTokens(request),
      outputTokens: maxTokens,
      namesOutput: true,
      answers: 1,
    };
  }

  async admit(
    one: Process,
    pace: Partial<ModelLimits> | null,
    maxTokens?: number,
  ): Promise<LimitTicket | null> {
    return one.limits.admit(this.requestOf(pace, maxTokens));
  }
}

export async function refusalOf(admission: Promise<LimitTicket | null>): Promise<GatewayError> {
  const error = await admission.then(
    () => new Error('was admitted'),
    (refusal: unknown) => refusal,
  );
  if (!(error instanceof GatewayError)) throw error;
  return error;
}

export const upkeepOf = ({ limits }: Process): Promise<void> =>
  (limits as unknown as { maintain(): Promise<void> }).maintain();

export const delaySlots = (one: Process, subjectId = '') => delayAnswers(one, 'hold_slots', subjectId);

/** The next answer to a statement with these texts does not arrive until it is sent. */
export function delayAnswers(one: Process, ...texts: string[]) {
  let send!: () => void;
  const isSent = new Promise<void>((resolve) => (send = resolve));
  let isFound = false;
  let delay!: (outcome: 'delayed') => void;
  const isDelayed = new Promise<'delayed'>((resolve) => (delay = resolve));
  const query = one.pool.query.bind(one.pool) as (...args: unknown[]) => Promise<never>;
  const statements = jest.spyOn(one.pool, 'query').mockImplementation(async (...args: unknown[]) => {
    const answer = await query(...args);
    const statement = JSON.stringify(args);
    if (isFound || !texts.every((text) => statement.includes(text))) return answer;
    isFound = true;
    delay('delayed');
    await isSent;
    return answer;
  });
  return { statements, send, isDelayed };
}
