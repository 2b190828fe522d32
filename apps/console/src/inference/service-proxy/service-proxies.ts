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

/** The gateway's error (OpenAI's shape) in the shape of the console: `{error, code?, param?}`. */
function consoleErrorOf(body: string, status: number) {
  const { message, code, param } = parsed(body);
  return {
    error: text(message) ?? `the gateway answered ${status}`,
    ...(text(code) !== undefined && { code }),
    ...(text(param) !== undefined && { param }),
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
