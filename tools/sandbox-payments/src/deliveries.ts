import { type Behaviour, type NotificationFaults } from './behaviour';
import { post } from './post';
import { type Order, type OrderStatus } from './orders';
import { type WireNotification } from './protocol';

/** A merchant has so many of them open at a time; the others wait. */
const MAX_AT_ONCE = 32;
const MAX_ATTEMPTS = 10;
const FIRST_RETRY_MS = 1_000;
/** What is remembered: so many orders, so many deliveries of each. */
const MAX_ORDERS = 10_000;
const MAX_PER_ORDER = 200;

const FAULTS = [
  'wrong_signature',
  'wrong_amount',
  'wrong_currency',
  'wrong_merchant',
  'old_timestamp',
  'future_timestamp',
] as const satisfies (keyof Behaviour)[];
type FaultName = (typeof FAULTS)[number];

/** One attempt to tell the merchant something. */
export interface Delivery {
  /** From 1. */
  attempt: number;
  /** What the order was when it happened. */
  orderStatus: OrderStatus;
  /** How many refunds of it there had been. */
  refunds: number;
  url: string;
  /** As the switches are called. */
  faults: (FaultName | 'drop')[];
  /** Null without an answer; `error` then says why. */
  status: number | null;
  body: string | null;
  error: string | null;
  acknowledged: boolean;
  sentAt: string;
}

/** Something that the merchant has not acknowledged yet. */
interface Job {
  /** As it was when it happened. */
  order: Order;
  /** Of the next one, from 1. */
  attempt: number;
  /** Unix time in milliseconds. */
  dueAt: number;
  /** Until there is a flush. */
  held: boolean;
  /** What was decided when it happened; a retry is decided on when it is sent. */
  faults: FaultName[] | null;
}

/** What outlives the process. */
export interface DeliveriesState {
  jobs: Job[];
  sent: [orderId: string, deliveries: Delivery[]][];
}

export interface DeliveriesOptions {
  behaviour(): Behaviour;
  /** Takes the place of the origin of every address; null leaves them as they are. */
  merchant(): string | null;
  /** What the provider says of the order; null when it says nothing. */
  notification(order: Order, faults: NotificationFaults): WireNotification | null;
  isAcknowledged(order: Order, answer: { status: number; body: string }): boolean;
  /** Something has changed; resolves once that is not forgotten any more. */
  keep(): Promise<void>;
}

/** Tells the merchant what happens to orders, as badly as asked for, until it acknowledges or ten tries are over. */
export class Deliveries {
  private readonly jobs = new Set<Job>();
  private readonly due: Job[] = [];
  private readonly timers = new Map<Job, NodeJS.Timeout>();
  private readonly sent = new Map<string, Delivery[]>();
  /** How many of an order a switch has been at. */
  private readonly faultCounts = new Map<string, number>();
  private underway = 0;
  private closed = false;

  constructor(private readonly options: DeliveriesOptions) {}

  /** Something has happened to the order. */
  announce(order: Order): void {
    const { duplicate, delay_ms, reorder } = this.options.behaviour();
    const asItIs = structuredClone(order);
    const notification = this.options.notification(asItIs, faultsOf([]));
    if (!notification) return;
    for (let copy = 0; copy < duplicate; copy++) {
      if (this.applies('drop', order.id)) {
        this.remember(order.id, dropped(asItIs, this.addressOf(notification)));
        continue;
      }
      const dueAt = Date.now() + Math.random() * delay_ms;
      const faults = this.faultsFor(order.id);
      this.add({ order: asItIs, attempt: 1, dueAt, held: reorder, faults });
    }
  }

  /** Sends what is held, in a random order; returns how many these are. */
  flush(): number {
    const held = [...this.jobs].filter((job) => job.held);
    for (const { job } of held.map((job) => ({ job, at: Math.random() })).sort((a, b) => a.at - b.at)) {
      job.held = false;
      job.dueAt = Date.now();
      this.schedule(job);
    }
    return held.length;
  }

  /** Oldest first. */
  of(orderId: string): readonly Delivery[] {
    return this.sent.get(orderId) ?? [];
  }

  /** How many of the order's wait for a flush, for their time or for their next try. */
  waiting(orderId: string): number {
    return [...this.jobs].filter(({ order }) => order.id === orderId).length;
  }

  state(): DeliveriesState {
    return { jobs: [...this.jobs], sent: [...this.sent] };
  }

  /** Goes on where another process has ended. */
  resume({ jobs, sent }: DeliveriesState): void {
    for (const [orderId, deliveries] of sent) this.sent.set(orderId, deliveries);
    for (const job of jobs) this.add(job);
  }

  close(): void {
    this.closed = true;
    for (const timer of this.timers.values()) clearTimeout(timer);
  }

  private add(job: Job): void {
    this.jobs.add(job);
    if (!job.held) this.schedule(job);
  }

  private schedule(job: Job): void {
    const start = () => {
      this.timers.delete(job);
      this.due.push(job);
      this.sendDue();
    };
    const waitMs = job.dueAt - Date.now();
    if (waitMs <= 0) start();
    else this.timers.set(job, setTimeout(start, waitMs));
  }

  private sendDue(): void {
    while (!this.closed && this.underway < MAX_AT_ONCE) {
      const job = this.due.shift();
      if (!job) return;
      this.underway++;
      void this.send(job).finally(() => {
        this.underway--;
        this.sendDue();
      });
    }
  }

  private async send(job: Job): Promise<void> {
    const { order, attempt } = job;
    const faults = job.faults ?? this.faultsFor(order.id);
    // The merchant may not know of anything that is forgotten here.
    await this.options.keep();
    if (this.closed) return;
    const notification = this.options.notification(order, faultsOf(faults));
    if (!notification) {
      this.jobs.delete(job);
      return;
    }
    const sentAt = new Date().toISOString();
    const url = this.addressOf(notification);
    const answer = await post({ ...notification, url });
    const { status, body } = answer;
    const acknowledged =
      status !== null && body !== null && this.options.isAcknowledged(order, { status, body });
    this.remember(order.id, {
      ...{
        attempt,
        orderStatus: order.status,
        refunds: order.refunds.length,
        url,
        faults,
        acknowledged,
        sentAt,
      },
      ...answer,
    });
    if (acknowledged || attempt >= MAX_ATTEMPTS) this.jobs.delete(job);
    else this.retry(job);
    void this.options.keep();
  }

  private retry(job: Job): void {
    job.dueAt = Date.now() + FIRST_RETRY_MS * 2 ** (job.attempt - 1);
    job.attempt++;
    job.faults = null;
    if (!this.closed) this.schedule(job);
  }

  private faultsFor(orderId: string): FaultName[] {
    return FAULTS.filter((name) => this.applies(name, orderId));
  }

  private applies(name: FaultName | 'drop', orderId: string): boolean {
    const told = this.options.behaviour()[name];
    if (typeof told === 'boolean') return told;
    const key = `${name} ${orderId}`;
    const count = this.faultCounts.get(key) ?? 0;
    if (count >= told) return false;
    this.faultCounts.set(key, count + 1);
    return true;
  }

  private addressOf({ url }: WireNotification): string {
    const merchant = this.options.merchant();
    if (merchant === null || !URL.canParse(url)) return url;
    const { pathname, search } = new URL(url);
    return merchant + pathname + search;
  }

  private remember(orderId: string, delivery: Delivery): void {
    const earlier = this.sent.get(orderId) ?? [];
    this.sent.delete(orderId);
    this.sent.set(orderId, [...earlier, delivery].slice(-MAX_PER_ORDER));
    if (this.sent.size > MAX_ORDERS) this.sent.delete(this.sent.keys().next().value!);
  }
}

const faultsOf = (names: FaultName[]): NotificationFaults => ({
  wrongSignature: names.includes('wrong_signature'),
  wrongAmount: names.includes('wrong_amount'),
  wrongCurrency: names.includes('wrong_currency'),
  wrongMerchant: names.includes('wrong_merchant'),
  oldTimestamp: names.includes('old_timestamp'),
  futureTimestamp: names.includes('future_timestamp'),
});

const dropped = ({ status: orderStatus, refunds }: Order, url: string): Delivery => ({
  ...{
    attempt: 1,
    orderStatus,
    refunds: refunds.length,
    url,
    faults: ['drop'],
    status: null,
    body: null,
    error: null,
  },
  acknowledged: false,
  sentAt: new Date().toISOString(),
});
