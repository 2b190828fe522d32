import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { isDatabaseUnavailable, NotificationChannel, SQL_POOL, type SqlPool } from '@inference/database';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { describeFailure, isRefusedForGood } from './delivery-failure';
import { forgetOldMailTokens } from './mail-tokens';
import { createMailDelivery, DELIVERY_LIMIT_MILLIS, type DeliverMail } from './mail-transport';
import { MailWriter } from './mail-writer';
import { claimMails, type ClaimedMail, deleteMail, deleteOldMails, postponeOrGiveUp } from './outbox';

const POLL_MILLIS = 5_000;
const CLEAN_UP_MILLIS = 3_600_000;
/** Mails under way at once. */
const BATCH = 5;
/** Longer than a delivery takes, so that a mail has two senders only if one of them has died. */
const LEASE_SECONDS = (DELIVERY_LIMIT_MILLIS / 1000) * 3;

/**
 * Sends what is in the outbox, together with the senders of the other consoles: at least once, and after a crash
 * perhaps twice, under the same Message-ID. Nothing is locked while a mail is under way.
 */
@Injectable()
export class MailSender implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(MailSender.name);
  private readonly writer: MailWriter;
  private readonly deliver: DeliverMail | null;
  private readonly timers: NodeJS.Timeout[] = [];
  private running: Promise<void> | undefined;
  private woken = false;
  private stopping = false;

  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(CONSOLE_CONFIG) config: ConsoleConfig,
    channel: NotificationChannel,
  ) {
    this.writer = new MailWriter(pool, config);
    this.deliver = createMailDelivery(config);
    channel.on('mail', () => this.wake());
    channel.onReconnect(() => this.wake());
  }

  onApplicationBootstrap(): void {
    if (!this.deliver) this.logger.warn('Neither SMTP_URL nor MAIL_FOLDER is set: no mail is sent.');
    this.timers.push(
      setInterval(() => this.wake(), POLL_MILLIS),
      setInterval(() => void this.cleanUp(), CLEAN_UP_MILLIS),
    );
    void this.cleanUp();
    this.wake();
  }

  /** Resolves when the mails under way have been sent, or have failed. */
  async onApplicationShutdown(): Promise<void> {
    this.stopping = true;
    for (const timer of this.timers) clearInterval(timer);
    await this.running;
  }

  private wake(): void {
    if (!this.deliver) return;
    this.woken = true;
    this.running ??= this.sendAll(this.deliver).finally(() => (this.running = undefined));
  }

  /** Until nothing is due. */
  private async sendAll(deliver: DeliverMail): Promise<void> {
    try {
      while (!this.stopping) {
        this.woken = false;
        const rows = await claimMails(this.pool, BATCH, LEASE_SECONDS);
        await Promise.all(
          rows.map((row) => this.send(row, deliver).catch((error: unknown) => this.report(error))),
        );
        if (rows.length === 0 && !this.woken) return;
      }
    } catch (error) {
      this.report(error);
    }
  }

  private async send(row: ClaimedMail, deliver: DeliverMail): Promise<void> {
    try {
      const mail = await this.writer.write(row);
      if (mail) await deliver(mail);
    } catch (error) {
      return this.postpone(row, error);
    }
    // Should this fail, the mail is sent again when its lease is over.
    await deleteMail(this.pool, row.id);
  }

  private async postpone(row: ClaimedMail, error: unknown): Promise<void> {
    const { id, kind, attempts } = row;
    const reason = describeFailure(error);
    const refused = isRefusedForGood(error);
    if (refused) await deleteMail(this.pool, id);
    if (refused || (await postponeOrGiveUp(this.pool, row, reason)))
      this.logger.error(`Mail ${id} (${kind}) is given up after attempt ${attempts}: ${reason}`);
    else this.logger.warn(`Mail ${id} (${kind}) could not be sent at attempt ${attempts}: ${reason}`);
  }

  private async cleanUp(): Promise<void> {
    try {
      await forgetOldMailTokens(this.pool);
      if (!this.deliver) await deleteOldMails(this.pool);
    } catch (error) {
      this.report(error);
    }
  }

  /** A database that is away is told of by the health probe. */
  private report(error: unknown): void {
    if (!isDatabaseUnavailable(error)) this.logger.error(error);
  }
}
