import { Metrics } from '@inference/http';
import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram } from 'prom-client';
import { type CircuitState } from './choice/circuit';
import { type UpstreamCost } from './cost-prices';
import { ServingDirectory } from './directory.service';
import { type Upstream, type UpstreamOfModel } from './upstream';

/** What calls bring in and what upstreams take for them, in trillionths of the currency. */
interface Money {
  revenue: bigint;
  /** The part of it that calls without a known cost bring in. */
  revenue_without_cost: bigint;
  cost: bigint;
}

const PICOS = 1e12;
const BREAKER_VALUES: Record<CircuitState, number> = { closed: 0, half_open: 1, open: 2 };

/** Measures calls of upstreams. Labels name upstreams and priced models only, so there are few. */
@Injectable()
export class UpstreamMetrics {
  private readonly firstBytes: Histogram<'upstream' | 'model'>;
  private readonly fallbacks: Counter<'model' | 'served'>;
  private readonly refusals: Counter<'reason'>;
  private readonly money = new Map<string, Money>();

  constructor(metrics: Metrics, directory: ServingDirectory) {
    const registers = [metrics.registry];
    const upstreams = (): readonly Upstream[] => directory.upstreams;
    const { money } = this;
    this.firstBytes = new Histogram({
      name: 'gateway_upstream_first_byte_seconds',
      help: 'Time from a call of an upstream to the first byte of its answer.',
      labelNames: ['upstream', 'model'],
      buckets: [0.1, 0.3, 1, 3, 10, 30, 100],
      registers,
    });
    this.fallbacks = new Counter({
      name: 'gateway_fallback_answers_total',
      help: 'Answers of another model than the one that was called, by both.',
      labelNames: ['model', 'served'],
      registers,
    });
    this.refusals = new Counter({
      name: 'gateway_upstream_refusals_total',
      help: 'Requests without an upstream: all are full or have asked for a pause, or the account uses more than its share of them.',
      labelNames: ['reason'],
      registers,
    });
    new Counter({
      name: 'gateway_upstream_calls_total',
      help: 'Calls of upstreams, by how they ended. A broken answer is also counted as answered.',
      labelNames: ['upstream', 'model', 'outcome'],
      registers,
      collect() {
        this.reset();
        for (const upstream of upstreams())
          for (const [model, { outcomes }] of upstream.figures)
            for (const [outcome, count] of Object.entries(outcomes))
              if (count > 0) this.inc({ upstream: upstream.name, model, outcome }, count);
      },
    });
    new Counter({
      name: 'gateway_upstream_output_tokens_total',
      help: 'Metered output tokens of upstreams.',
      labelNames: ['upstream', 'model'],
      registers,
      collect() {
        this.reset();
        for (const upstream of upstreams())
          for (const [model, { outputTokens }] of upstream.figures)
            this.inc({ upstream: upstream.name, model }, outputTokens);
      },
    });
    new Counter({
      name: 'gateway_upstream_money_total',
      help: 'What calls bring in and cost, in the currency of the site, by upstream and kind: revenue, the part of it without a known cost, cost.',
      labelNames: ['upstream', 'kind'],
      registers,
      collect() {
        this.reset();
        for (const [upstream, kinds] of money)
          for (const [kind, picos] of Object.entries(kinds))
            this.inc({ upstream, kind }, Number(picos) / PICOS);
      },
    });
    new Gauge({
      name: 'gateway_upstream_running_calls',
      help: 'Calls that an upstream is answering.',
      labelNames: ['upstream'],
      registers,
      collect() {
        this.reset();
        for (const { name, load } of upstreams()) this.set({ upstream: name }, load.running);
      },
    });
    new Gauge({
      name: 'gateway_upstream_breaker',
      help: 'Whether calls of a model are kept from an upstream: 0 no, 1 it is tried, 2 yes.',
      labelNames: ['upstream', 'model'],
      aggregator: 'max',
      registers,
      collect() {
        this.reset();
        const now = performance.now();
        for (const upstream of upstreams())
          if (upstream.isActive)
            for (const [model, { circuit }] of upstream.figures)
              this.set({ upstream: upstream.name, model }, BREAKER_VALUES[circuit.state(now)]);
      },
    });
    new Gauge({
      name: 'gateway_upstream_up',
      help: 'Whether an upstream answered when it was last asked.',
      labelNames: ['upstream'],
      aggregator: 'min',
      registers,
      collect() {
        this.reset();
        for (const { name, isUp, isActive } of upstreams())
          if (isUp !== null && isActive) this.set({ upstream: name }, isUp ? 1 : 0);
      },
    });
  }

  observeFirstByte({ upstream, model }: UpstreamOfModel, millis: number): void {
    this.firstBytes.observe({ upstream: upstream.name, model }, millis / 1000);
  }

  /** @param costs of the call, those of failed attempts among them */
  countMoney(upstream: string, revenuePicos: bigint, costs: readonly UpstreamCost[]): void {
    const served = this.moneyOf(upstream);
    served.revenue += revenuePicos;
    if (!costs.some((cost) => cost.served)) served.revenue_without_cost += revenuePicos;
    this.countCosts(costs);
  }

  countCosts(costs: readonly UpstreamCost[]): void {
    for (const { upstream, costPicos } of costs) this.moneyOf(upstream).cost += costPicos;
  }

  private moneyOf(upstream: string): Money {
    let money = this.money.get(upstream);
    if (!money) this.money.set(upstream, (money = { revenue: 0n, revenue_without_cost: 0n, cost: 0n }));
    return money;
  }

  countFallback(model: string, served: string): void {
    this.fallbacks.inc({ model, served });
  }

  countRefusal(reason: 'full' | 'share' | 'paused'): void {
    this.refusals.inc({ reason });
  }
}
