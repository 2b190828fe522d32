import { Inject, Injectable } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { Database, type Executor } from '@inference/database';
import { PROCESS_STARTED_AT, STARTED_AT_HEADER } from '@inference/http';
import { UpstreamsService } from '../inference/serving/upstreams.service';
import { readQueues } from './queues.repository';
import {
  type CheckedService,
  SERVICE_HEALTH_CONFIG,
  type ServiceHealthConfig,
} from './service-health.config';
import { type ServiceHealthResponse, type SiteHealthResponse } from './service-health.dto';

/** Longer than the two seconds in which a service finds out that its database does not answer. */
const TIMEOUT_SECONDS = 3;
/** Most that is shown of what a service says. Chosen: a line on a page. */
const MAX_MESSAGE_CHARS = 200;

type Finding = Pick<ServiceHealthResponse, 'status' | 'message' | 'started_at'>;

@Injectable()
export class ServiceHealthService {
  constructor(
    private readonly database: Database,
    private readonly upstreams: UpstreamsService,
    @Inject(SERVICE_HEALTH_CONFIG) private readonly config: ServiceHealthConfig,
  ) {}

  /** How services, upstreams and queues are. Never fails because one of them does. */
  async check(): Promise<SiteHealthResponse> {
    const [services, upstreams, queues] = await Promise.all([
      this.checkServices(),
      untilTimeout((executor) => this.upstreams.health(executor), this.database),
      untilTimeout(readQueues, this.database),
    ]);
    return { ...services, upstreams, queues };
  }

  /** Asks all services at once. Never fails because one of them does. */
  async checkServices(): Promise<Pick<SiteHealthResponse, 'services' | 'checked_at'>> {
    const { consoleUrl, services } = this.config;
    const checkedAt = new Date();
    const own = timed({ name: 'console', url: consoleUrl }, () => this.checkOwnDatabase());
    const others = services.map((service) => timed(service, (signal) => ask(service, signal)));
    return { services: await Promise.all([own, ...others]), checked_at: checkedAt.toISOString() };
  }

  /** The console answers this request, so it can work if its database answers. */
  private async checkOwnDatabase(): Promise<Finding> {
    await this.database.check();
    return { status: 'ok', message: null, started_at: PROCESS_STARTED_AT };
  }
}

/** Null if the database fails or takes too long. */
async function untilTimeout<Found>(
  read: (executor: Executor) => Promise<Found>,
  database: Database,
): Promise<Found | null> {
  const tooLate = sleep(TIMEOUT_SECONDS * 1000, null, { ref: false });
  return Promise.race([read(database), tooLate]).catch(() => null);
}

/** What a check finds out within the time limit, and how long it took. */
async function timed(
  { name, url }: Pick<CheckedService, 'name' | 'url'>,
  check: (signal: AbortSignal) => Promise<Finding>,
): Promise<ServiceHealthResponse> {
  const start = performance.now();
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), TIMEOUT_SECONDS * 1000);
  const aborted = new Promise<never>((_resolve, reject) => {
    abort.signal.addEventListener('abort', () => reject(new Error('no answer')));
  });
  try {
    const finding = await Promise.race([check(abort.signal), aborted]);
    return { name, url, ...finding, latency_ms: Math.round(performance.now() - start) };
  } catch {
    const message = abort.signal.aborted
      ? `no answer within ${TIMEOUT_SECONDS} seconds`
      : 'cannot be reached';
    return { name, url, status: 'unavailable', latency_ms: null, message, started_at: null };
  } finally {
    clearTimeout(timer);
  }
}

async function ask({ internalUrl }: CheckedService, signal: AbortSignal): Promise<Finding> {
  const response = await fetch(`${internalUrl}/healthz`, {
    redirect: 'manual',
    signal,
  });
  const message = messageIn(await response.text());
  const started_at = instantIn(response.headers.get(STARTED_AT_HEADER));
  if (response.ok) return { status: 'ok', message: null, started_at };
  return { status: 'unhealthy', message: message ?? `answers with status ${response.status}`, started_at };
}

/** A proxy or another program at the address may send anything. */
function instantIn(text: string | null): string | null {
  const instant = new Date(text ?? NaN);
  return Number.isNaN(instant.getTime()) ? null : instant.toISOString();
}

/** The member `error` of a JSON body. */
function messageIn(body: string): string | null {
  try {
    const { error } = JSON.parse(body) as { error?: unknown };
    return typeof error === 'string' ? error.slice(0, MAX_MESSAGE_CHARS) : null;
  } catch {
    return null;
  }
}
