import { setTimeout as sleep } from 'node:timers/promises';
import { Database } from '@inference/database';
import { Metrics } from '@inference/http';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { type Folded, foldUsage } from './settlement.repository';

/** Usage is folded when it has waited for this long, so at the latest after twice the time. Half would write twice as many transfers. */
const INTERVAL_SECONDS = 0.5;
/** Most accounts of one transaction, whose wallets it locks. Twice doubles how long a draw may wait for one. */
const MAX_ACCOUNTS = 500;
/** Rows that may wait before settlement waits for their folding: some seconds of a full site, which reports read along. */
const MAX_WAITING = 100_000;
/** As the leases have to be returned at the end of a process. */
const STOP_LIMIT_MILLIS = 2_000;
const NOTHING: Folded = { folded: 0, waiting: 0, setAside: 0, oldestSeconds: 0 };

/**
 * Folds appended usage into rollup, ledger and wallets, of all gateways: so that of a dead one is folded too. Any number of processes do
 * so at the same time.
 */
@Injectable()
export class UsageFolder implements OnApplicationBootstrap {
  private readonly logger = new Logger(UsageFolder.name);
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  /** After the last fold of this process. */
  private state = NOTHING;

  constructor(
    private readonly database: Database,
    { registry }: Metrics,
  ) {
    const gauge = (name: string, help: string, read: (state: Folded) => number) => {
      const state = () => this.state;
      const collect = function (this: Gauge) {
        this.set(read(state()));
      };
      // All processes see the same rows.
      return new Gauge({ name, help, registers: [registry], aggregator: 'max', collect });
    };
    gauge('gateway_unfolded_rows', 'Sums of usage that are not in rollup and wallets yet.', (s) => s.waiting);
    gauge('gateway_unfolded_seconds', 'Age of the oldest of them.', (s) => s.oldestSeconds);
    gauge('gateway_set_aside_rows', 'Those of them that could not be folded.', (s) => s.setAside);
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.fold(INTERVAL_SECONDS), INTERVAL_SECONDS * 1_000);
  }

  /** Resolves when so little waits that more may be appended. */
  async makeRoom(): Promise<void> {
    if (this.state.waiting - this.state.setAside > MAX_WAITING) await this.fold(0);
  }

  /** Folds what waits, and nothing after that. What a database that does not answer keeps is folded by other gateways. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    const folded = async () => {
      await this.running;
      await this.fold(0);
    };
    await Promise.race([sleep(STOP_LIMIT_MILLIS, undefined, { ref: false }), folded()]);
  }

  private fold(minAgeSeconds: number): Promise<void> {
    this.running ??= this.foldAll(minAgeSeconds).finally(() => (this.running = undefined));
    return this.running;
  }

  private async foldAll(minAgeSeconds: number): Promise<void> {
    try {
      const before = this.state.setAside;
      do this.state = await foldUsage(this.database, minAgeSeconds, MAX_ACCOUNTS);
      while (this.state.folded === MAX_ACCOUNTS);
      const { setAside } = this.state;
      if (setAside > before)
        this.logger.error(`${setAside} sums of usage cannot be folded and are tried again.`);
    } catch (error) {
      this.logger.warn(`Usage was not folded and waits: ${String(error)}`);
    }
  }
}
