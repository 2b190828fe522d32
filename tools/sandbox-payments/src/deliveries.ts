import { type InjectedFaults, type NotificationFaults } from './injected-faults';
import { type Order, type OrderStatus } from './orders/order';
import { type WireNotification } from './protocol';

const DEFAULT_TIMEOUT_MS = 10_000;
const MAX_ANSWER_CHARS = 1_000;

type PostAnswer = { status: number; body: string; error: null } | { status: null; body: null; error: string };

/** Posts the notification once, without following redirects. Returns the error if there is no response in time. */
export async function post(
  { url, headers, body }: WireNotification,
  timeoutMs = DEFAULT_TIMEOUT_MS,
): Promise<PostAnswer> {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    return { status: response.status, body: await beginningOf(response), error: null };
  } catch (error) {
    return { status: null, body: null, error: reasonOf(error) };
  }
}

async function beginningOf(response: Response): Promise<string> {
  let text = '';
  if (!response.body) return text;
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.length > MAX_ANSWER_CHARS) return text.slice(0, MAX_ANSWER_CHARS);
  }
  return text;
}

/** The reason of a failed connection is in the cause of the error, which may have only a code. */
function reasonOf(error: unknown): string {
  const { cause = error } = Object(error) as { cause?: unknown };
  const { message, code } = Object(cause) as { message?: string; code?: string };
  return message || code || String(cause);
}

/** Concurrent requests to a merchant; further ones wait. */
const MAX_AT_ONCE = 32;
const MAX_ATTEMPTS = 10;
const FIRST_RETRY_MS = 1_000;
/** Limits of the recorded deliveries: orders, and deliveries of each order. */
const MAX_ORDERS = 10_000;
const MAX_PER_ORDER = 200;

const NOTIFICATION_FAULTS = [
  'wrong_signature',
  'wrong_amount',
  'wrong_currency',
  'wrong_merchant',
  'old_timestamp',
  'future_timestamp',
] as const satisfies (keyof InjectedFaults)[];
type FaultName = (typeof NOTIFICATION_FAULTS)[number];

/** One attempt to deliver a notification. */
export interface Delivery {
  /** From 1. */
  attempt: number;
  /** The status of the order at the time of the event. */
  orderStatus: OrderStatus;
  /** The number of its refunds at that time. */
  refunds: number;
  url: string;
  /** The names of the configured faults. */
  faults: (FaultName | 'drop')[];
  /** Null without an answer; `error` then says why. */
  status: number | null;
  body: string | null;
  error: string | null;
  acknowledged: boolean;
  sentAt: string;
}

/** A notification that the merchant has not acknowledged yet. */
interface Job {
  /** The order at the time of the event. */
  order: Order;
  /** The number of the next attempt, from 1. */
  attempt: number;
  /** Unix time in milliseconds. */
  dueAt: number;
  /** True until the next flush. */
  held: boolean;
  /** The faults of the first attempt. The faults of a retry are chosen when it is sent. */
  faults: FaultName[] | null;
}

/** The state that is stored over a restart. */
export interface DeliveriesState {
  jobs: Job[];
  sent: [orderId: string, deliveries: Delivery[]][];
}

export interface DeliveriesOptions {
  injectedFaults(): InjectedFaults;
  /** Replaces the origin of all addresses, unless it is null. */
  merchant(): string | null;
  /** The notification of the provider about the order, if there is one. */
  notification(order: Order, faults: NotificationFaults): WireNotification | null;
  isAcknowledged(order: Order, answer: { status: number; body: string }): boolean;
  /** Resolves when the current state is stored. */
  keep(): Promise<void>;
}

/** Delivers notifications, with the configured faults, until the merchant acknowledges them or ten attempts have failed. */
export class Deliveries {
  private readonly jobs = new Set<Job>();
  private readonly due: Job[] = [];
  private readonly timers = new Map<Job, NodeJS.Timeout>();
  private readonly sent = new Map<string, Delivery[]>();
  /** The number of notifications of an order that a fault has affected. */
  private readonly faultCounts = new Map<string, number>();
  private underway = 0;
  private closed = false;

  constructor(private readonly options: DeliveriesOptions) {}

  /** Notifies the merchant of an event of the order. */
  announce(order: Order): void {
    const { duplicate, delay_ms, reorder } = this.options.injectedFaults();
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

  /** Sends the held notifications in random order. Returns their number. */
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

  /** The number of notifications of the order that are still to be sent. */
  waiting(orderId: string): number {
    return [...this.jobs].filter(({ order }) => order.id === orderId).length;
  }

  state(): DeliveriesState {
    return { jobs: [...this.jobs], sent: [...this.sent] };
  }

  /** Restores the state of an earlier process. */
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
    // The state must be stored before the merchant learns of it.
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
    return NOTIFICATION_FAULTS.filter((name) => this.applies(name, orderId));
  }

  private applies(name: FaultName | 'drop', orderId: string): boolean {
    const setting = this.options.injectedFaults()[name];
    if (typeof setting === 'boolean') return setting;
    const key = `${name} ${orderId}`;
    const count = this.faultCounts.get(key) ?? 0;
    if (count >= setting) return false;
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
