import { Inject, Injectable } from '@nestjs/common';
import { INFERENCE_CONFIG, type InferenceConfig } from '../inference.config';
import { ProxyMetrics, ServiceProxy } from './service-proxy';

/** Forwards requests to the agent service, whose errors have the shape of the console. */
@Injectable()
export class AgentProxy extends ServiceProxy {
  constructor(@Inject(INFERENCE_CONFIG) config: InferenceConfig, metrics: ProxyMetrics) {
    super({ service: 'agent', offer: 'agents', address: config.agent, limits: config }, metrics);
  }
}

interface OpenAiError {
  message?: unknown;
  code?: unknown;
  param?: unknown;
  limit?: unknown;
  missing_amount?: unknown;
  top_up_url?: unknown;
}

const text = (value: unknown) => (typeof value === 'string' ? value : undefined);

function parsed(body: string): OpenAiError {
  try {
    const { error } = JSON.parse(body) as { error?: OpenAiError | null };
    return error ?? {};
  } catch {
    // Not the gateway's own answer, for example a page of a proxy.
    return {};
  }
}

/** Members of the gateway's error that the console passes on. */
const PASSED_ON = ['code', 'param', 'limit', 'missing_amount', 'top_up_url'] as const;

/** The gateway's error (OpenAI's shape) in the shape of the console. */
function consoleErrorOf(body: string, status: number) {
  const error = parsed(body);
  const known = PASSED_ON.filter((name) => text(error[name]) !== undefined);
  return {
    error: text(error.message) ?? `the gateway answered ${status}`,
    ...Object.fromEntries(known.map((name) => [name, error[name]])),
  };
}

/** Forwards requests of the playground to the gateway. */
@Injectable()
export class GatewayProxy extends ServiceProxy {
  constructor(@Inject(INFERENCE_CONFIG) config: InferenceConfig, metrics: ProxyMetrics) {
    const { gateway: address } = config;
    const offer = 'a playground';
    super({ service: 'gateway', offer, address, limits: config, translateError: consoleErrorOf }, metrics);
  }
}

/** Chosen: a report takes less than a second, or some seconds where nothing is added up yet. No page waits for longer. */
const SILENCE_MILLIS = 30_000;

/** Forwards requests to the router-cost service, whose errors have the shape of the console. */
@Injectable()
export class RouterCostProxy extends ServiceProxy {
  constructor(@Inject(INFERENCE_CONFIG) config: InferenceConfig, metrics: ProxyMetrics) {
    const { routerCost: address } = config;
    const limits = { ...config, silenceMillis: Math.min(config.silenceMillis, SILENCE_MILLIS) };
    super({ service: 'router-cost', offer: 'the cost report', address, limits }, metrics);
  }
}
