import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import { isDatabaseUnavailable, NotificationChannel, SQL_POOL, type SqlPool } from '@inference/database';
import { SITE_CONFIG, type SiteConfig } from '../../../site.config';
import { deleteOldMailTokens } from '../mail-tokens';
import { MAIL_CONFIG, type MailConfig } from '../mail.config';
import { claimMails, type ClaimedMail, deleteMail, deleteOldMails, rescheduleOrGiveUp } from '../outbox';
import { describeFailure, isPermanentFailure } from './delivery-failure';
import { MailComposer } from './mail-composer';
import { createMailDelivery, DELIVERY_LIMIT_MILLIS, type DeliverMail } from './mail-transport';

/** A notification wakes the sender at once; polling finds mails whose next attempt is due. */
const POLL_MILLIS = 5_000;
const CLEAN_UP_MILLIS = 3_600_000;
/** Number of mails that one replica sends at the same time. */
const BATCH_SIZE = 5;
/** Three times as long as a delivery takes, so that two replicas send one mail only if one of them has crashed. */
const LEASE_SECONDS = (DELIVERY_LIMIT_MILLIS / 1000) * 3;

/**
 * Sends the mails of the outbox, shared among all replicas. Delivery is at least once: after a crash a mail may be sent
 * twice, under the same Message-ID. No row is locked while a mail is being sent.
 */
@Injectable()
export class MailSender implements OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown {
  private readonly logger = new Logger(MailSender.name);
  private readonly deliver: DeliverMail | null;
  private readonly timers: NodeJS.Timeout[] = [];
  private running: Promise<void> | undefined;
  private woken = false;
  private stopping = false;

  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(MAIL_CONFIG) config: MailConfig,
    @Inject(SITE_CONFIG) site: SiteConfig,
    private readonly composer: MailComposer,
    channel: NotificationChannel,
  ) {
    this.deliver = createMailDelivery(config, site);
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

  /** Must return at once: Nest calls it module by module, and all are to stop at the same time. */
  onModuleDestroy(): void {
    this.stopping = true;
    for (const timer of this.timers) clearInterval(timer);
  }

  /** Resolves when the deliveries in progress have succeeded or failed. */
  async onApplicationShutdown(): Promise<void> {
    await this.running;
  }

  private wake(): void {
    if (!this.deliver) return;
    this.woken = true;
    this.running ??= this.sendAll(this.deliver).finally(() => (this.running = undefined));
  }

  /** Returns when no mail is due. */
  private async sendAll(deliver: DeliverMail): Promise<void> {
    try {
      while (!this.stopping) {
        this.woken = false;
        const rows = await claimMails(this.pool, BATCH_SIZE, LEASE_SECONDS);
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
      const mail = await this.composer.compose(row);
      if (mail) await deliver(mail);
    } catch (error) {
      return this.handleFailure(row, error);
    }
    // If this fails, the mail is sent again when its lease ends.
    await deleteMail(this.pool, row.id);
  }

  private async handleFailure(row: ClaimedMail, error: unknown): Promise<void> {
    const { id, kind, attempts } = row;
    const reason = describeFailure(error);
    const isPermanent = isPermanentFailure(error);
    if (isPermanent) await deleteMail(this.pool, id);
    if (isPermanent || (await rescheduleOrGiveUp(this.pool, row, reason)))
      this.logger.error(`Mail ${id} (${kind}) is given up after attempt ${attempts}: ${reason}`);
    else this.logger.warn(`Mail ${id} (${kind}) could not be sent at attempt ${attempts}: ${reason}`);
  }

  private async cleanUp(): Promise<void> {
    try {
      await deleteOldMailTokens(this.pool);
      if (!this.deliver) await deleteOldMails(this.pool);
    } catch (error) {
      this.report(error);
    }
  }

  /** The health probe reports an unreachable database. */
  private report(error: unknown): void {
    if (!isDatabaseUnavailable(error)) this.logger.error(error);
  }
}
