import { alipayProtocol } from './alipay/protocol';
import { type InjectedFaults, NO_FAULTS } from './injected-faults';
import { type SandboxPaymentsConfig } from './config';
import { Deliveries, type DeliveriesState } from './deliveries';
import { OrderBook } from './orders/order-book';
import { type SandboxOrder, orderView } from './orders/order-view';
import { type Order, type ProviderName } from './orders/order';
import { type Protocol, type ProtocolContext } from './protocol';
import { StateFile } from './state-file';
import { stripeProtocol } from './stripe/protocol';
import { wechatProtocol } from './wechat/protocol';

const EXPIRY_CHECK_MS = 500;

interface State {
  orders: Order[];
  deliveries: DeliveriesState;
}

/** The orders and the protocols of all providers, the deliveries, and the injected faults. */
export class Sandbox {
  readonly book = new OrderBook((order) => this.changed(order));
  readonly deliveries: Deliveries;
  readonly protocols: ReadonlyMap<ProviderName, Protocol>;
  injectedFaults: InjectedFaults = NO_FAULTS;
  /** Replaces the origin of every notification address, unless it is null. */
  merchant: string | null;
  private readonly file: StateFile<State> | null;
  private expiry: NodeJS.Timeout | undefined;

  constructor(
    { accounts, merchant, file }: SandboxPaymentsConfig,
    readonly url: string,
  ) {
    this.merchant = merchant;
    const context: ProtocolContext = { sandboxUrl: () => url, api: (call) => this.injectedFaults.api[call] };
    this.protocols = new Map<ProviderName, Protocol>([
      ...(accounts.stripe ? [['stripe', stripeProtocol(this.book, accounts.stripe, context)] as const] : []),
      ...(accounts.wechat ? [['wechat', wechatProtocol(this.book, accounts.wechat, context)] as const] : []),
      ...(accounts.alipay ? [['alipay', alipayProtocol(this.book, accounts.alipay, context)] as const] : []),
    ]);
    this.deliveries = new Deliveries({
      injectedFaults: () => this.injectedFaults,
      merchant: () => this.merchant,
      notification: (order, faults) =>
        this.protocols.get(order.provider)?.notification(order, faults) ?? null,
      isAcknowledged: (order, answer) => this.protocols.get(order.provider)?.isAcknowledged(answer) ?? false,
      keep: () => this.keep(),
    });
    this.file = file === null ? null : new StateFile(file, () => this.state());
  }

  /** Restores the state from the file. Rejects if the file cannot be read or written. */
  async start(): Promise<void> {
    const saved = this.file?.read();
    if (saved) {
      this.book.restore(saved.orders);
      this.deliveries.resume(saved.deliveries);
    }
    await this.file?.save();
    this.expiry = setInterval(() => this.book.expireDue(), EXPIRY_CHECK_MS);
  }

  /** Resolves when the current state is in the file and survives a kill. */
  async keep(): Promise<void> {
    try {
      await this.file?.save();
    } catch (error) {
      process.stderr.write(`sandbox payments: orders are not kept: ${String(error)}\n`);
    }
  }

  view(order: Order): SandboxOrder {
    return orderView(order, this.deliveries.of(order.id), this.deliveries.waiting(order.id));
  }

  async close(): Promise<void> {
    clearInterval(this.expiry);
    this.deliveries.close();
    await this.keep();
  }

  private state(): State {
    return { orders: this.book.list(), deliveries: this.deliveries.state() };
  }

  private changed(order: Order): void {
    this.deliveries.announce(order);
    void this.keep();
  }
}
