import { randomBytes } from 'node:crypto';
import { type Order, type OrderStatus, type Refund } from './order';

/** Thrown if the status of the order does not allow an operation. */
export class OrderStatusError extends Error {
  constructor(readonly order: Order) {
    super(`the order is ${order.status}`);
  }
}

export type NewOrder = Omit<Order, 'status' | 'createdAt' | 'paidAt' | 'payer' | 'refunds'>;

/** The maximum of stored orders, apart from open ones. */
const MAX_ORDERS = 10_000;
const NOBODY = { name: '', email: '' };

/** All orders and their transitions. Calls `changed` for each change that a provider notifies the merchant of. */
export class OrderBook {
  private readonly orders = new Map<string, Order>();

  constructor(private readonly changed: (order: Order) => void) {}

  /** Returns the existing order with this id, if there is one. */
  open(order: NewOrder): Order {
    const known = this.orders.get(order.id);
    if (known) return known;
    const opened: Order = {
      ...order,
      status: 'open',
      createdAt: new Date().toISOString(),
      paidAt: null,
      payer: NOBODY,
      refunds: [],
    };
    this.orders.set(opened.id, opened);
    this.deleteOldest();
    return opened;
  }

  /** Restores the orders that `list` of an earlier process has returned. */
  restore(orders: Order[]): void {
    for (const order of orders) this.orders.set(order.id, order);
  }

  /** Returns the current state: an order whose time is over is expired. */
  find(id: string): Order | undefined {
    const order = this.orders.get(id);
    if (order?.status === 'open' && Date.parse(order.expiresAt) <= Date.now()) this.end(order, 'expired');
    return order;
  }

  findWhere(matches: (order: Order) => boolean): Order | undefined {
    const found = [...this.orders.values()].find(matches);
    return found && this.find(found.id);
  }

  /** Oldest first. */
  list(): Order[] {
    return [...this.orders.keys()].map((id) => this.find(id)!);
  }

  /** Expires the orders whose time is over. */
  expireDue(): void {
    for (const id of this.orders.keys()) this.find(id);
  }

  /** `late`: allows the payment of an expired or closed order. */
  pay(order: Order, payer: Order['payer'], late = false): void {
    if (order.status !== 'open' && !(late && ['expired', 'closed', 'failed'].includes(order.status)))
      throw new OrderStatusError(order);
    order.payer = payer;
    order.paidAt = new Date().toISOString();
    this.move(order, 'paid');
  }

  /** Records a failed payment. */
  fail(order: Order, payer: Order['payer']): void {
    order.payer = payer;
    this.end(order, 'failed');
  }

  expire(order: Order): void {
    this.end(order, 'expired');
  }

  close(order: Order): void {
    this.end(order, 'closed');
  }

  /** Idempotent by the id of the refund. Returns null if the rest of the order is less than the amount. */
  refund(order: Order, id: string, reference: string, amountMinor: number): Refund | null {
    if (order.status !== 'paid') throw new OrderStatusError(order);
    const known = order.refunds.find((refund) => refund.id === id);
    if (known) return known;
    const refunded = order.refunds.reduce((sum, refund) => sum + refund.amountMinor, 0);
    if (refunded + amountMinor > order.amountMinor) return null;
    const refund = { id, reference, amountMinor, createdAt: new Date().toISOString() };
    order.refunds.push(refund);
    this.changed(order);
    return refund;
  }

  private deleteOldest(): void {
    if (this.orders.size <= MAX_ORDERS) return;
    const oldest = [...this.orders.values()].find(({ status }) => status !== 'open');
    if (oldest) this.orders.delete(oldest.id);
  }

  private end(order: Order, status: OrderStatus): void {
    if (order.status !== 'open') throw new OrderStatusError(order);
    this.move(order, status);
  }

  private move(order: Order, status: OrderStatus): void {
    order.status = status;
    this.changed(order);
  }
}

/** An id as long and as random as a provider's. */
export const newReference = (prefix: string): string => prefix + randomBytes(14).toString('hex');
