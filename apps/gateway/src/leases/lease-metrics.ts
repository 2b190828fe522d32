import { Injectable } from '@nestjs/common';
import { Metrics } from '@inference/http';
import { picosToDecimal } from '@inference/money';
import { Gauge } from 'prom-client';
import { LeaseManager } from './lease-manager';

/** Measures the money that this process has set aside, in the currency of the site. */
@Injectable()
export class LeaseMetrics {
  constructor(leases: LeaseManager, { registry }: Metrics) {
    new Gauge({
      name: 'gateway_leases',
      help: 'Leases of this process that are in use.',
      registers: [registry],
      collect() {
        this.set(leases.totals.leases);
      },
    });
    new Gauge({
      name: 'gateway_lease_holds',
      help: 'Requests that hold money of leases in use.',
      registers: [registry],
      collect() {
        this.set(leases.totals.holds);
      },
    });
    new Gauge({
      name: 'gateway_lease_money',
      help: 'Money of leases in use, in units of the currency, by whether requests hold it or it is free.',
      labelNames: ['state'],
      registers: [registry],
      collect() {
        const { heldPicos, freePicos } = leases.totals;
        this.set({ state: 'held' }, Number(picosToDecimal(heldPicos)));
        this.set({ state: 'free' }, Number(picosToDecimal(freePicos)));
      },
    });
  }
}
