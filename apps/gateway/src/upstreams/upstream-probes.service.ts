import { upstreamConnector } from '@inference/serving';
import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Agent, errors, request } from 'undici';
import { type ProbeResult } from './choice/circuit';
import { ServingDirectory } from './directory.service';
import { type Upstream } from './upstream';
import { UPSTREAMS_CONFIG, type UpstreamsConfig } from './upstreams.config';

const INTERVAL_MILLIS = 2_000;
/** An upstream that has answered nothing for this long is asked whether it is alive. Half costs twice the requests; twice shows an outage late. */
const SILENCE_MILLIS = 15_000;
const TIMEOUT_MILLIS = 5_000;

/**
 * Asks upstreams for the list of their models: those whose calls fail, so that they are called again soon after they have recovered, and those
 * that nobody calls, so that an outage of a spare one is seen. Has connections of its own, which no load keeps busy.
 */
@Injectable()
export class UpstreamProbes implements OnModuleInit, OnApplicationShutdown {
  private readonly agent: Agent;
  private readonly running = new WeakSet<Upstream>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly directory: ServingDirectory,
    @Inject(UPSTREAMS_CONFIG) { mayBePrivate }: Pick<UpstreamsConfig, 'mayBePrivate'>,
  ) {
    this.agent = new Agent({
      connect: upstreamConnector(TIMEOUT_MILLIS, mayBePrivate),
      headersTimeout: TIMEOUT_MILLIS,
      bodyTimeout: TIMEOUT_MILLIS,
    });
  }

  onModuleInit(): void {
    this.timer = setInterval(() => this.probeAll(), INTERVAL_MILLIS);
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.agent.destroy();
  }

  private probeAll(): void {
    const now = performance.now();
    for (const upstream of this.directory.upstreams) {
      if (upstream.isOff || this.running.has(upstream)) continue;
      const circuits = [...upstream.figures.values()];
      const fails = circuits.some(({ circuit }) => circuit.state(now) !== 'closed');
      if (fails || upstream.isUp === false || now - upstream.answeredAt > SILENCE_MILLIS)
        void this.probe(upstream);
    }
  }

  /** Asks one upstream. */
  async probe(upstream: Upstream): Promise<void> {
    this.running.add(upstream);
    const found = await this.ask(upstream);
    this.running.delete(upstream);
    const now = performance.now();
    // Nothing was answered since the probe before, or a call has failed.
    const wasDown = upstream.isUp === false;
    upstream.isUp = found === 'alive';
    if (upstream.isUp) upstream.answeredAt = now;
    else if (!wasDown) return;
    for (const { circuit } of upstream.figures.values()) circuit.probed(now, found);
  }

  /** Whatever it answers, it is alive: some servers have no list of models. */
  private async ask({ listing: { url, headers } }: Upstream): Promise<ProbeResult> {
    try {
      const { body } = await request(url, { headers, dispatcher: this.agent });
      await body.dump();
      return 'alive';
    } catch (error) {
      const isSilent =
        error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError;
      return isSilent ? 'silent' : 'unreachable';
    }
  }
}
