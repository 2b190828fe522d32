import { Database } from '@inference/database';
import { BackgroundJobs, EVERY_HOUR } from '@inference/jobs';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { SITE_CONFIG, type SiteConfig } from '../../../site.config';
import { MAIL_CONFIG, type MailConfig } from '../../notifications.config';
import { deleteOldMailTokens } from '../mail-tokens.repository';
import { rescheduleOrGiveUp, SEND_MAIL } from '../outbox';
import {
  type ClaimedMail,
  claimMail,
  deleteExpiredMails,
  deleteMail,
  skipAnnouncement,
} from '../outbox.repository';
import { type ComposedMail, MailComposer } from './mail-composer';
import { createMailDelivery, type DeliverMail, DELIVERY_LIMIT_MILLIS } from './mail-transport';

/** The fields of nodemailer's errors that are used here. */
interface DeliveryError {
  code?: unknown;
  /** Status code of the SMTP server. */
  responseCode?: unknown;
  response?: unknown;
  /** The SMTP command that failed. */
  command?: unknown;
}

/** RFC 3463, section 3.2: the recipient's address is at fault, not the server or its settings. */
const BAD_RECIPIENT = /^5\d\d[ -]5\.1\.[1236]\b/;

/** Describes an error without the server's text, which may quote addresses. */
function describeFailure(error: unknown): string {
  const { code, responseCode, command } = error as DeliveryError;
  const parts = [code, responseCode, command].filter((part) => part !== undefined && part !== null);
  return parts.length > 0 ? parts.join(' ') : String(error);
}

/** True if the recipient's address is refused permanently: retries would only harm the sender's reputation. */
function isPermanentFailure(error: unknown): boolean {
  const { command, response } = error as DeliveryError;
  return command === 'RCPT TO' && typeof response === 'string' && BAD_RECIPIENT.test(response);
}

/** Number of mails that one replica sends at the same time. */
const CONCURRENCY = 5;
/** Three times as long as a delivery takes, so that two replicas send one mail only if one of them has crashed. */
const CLAIM_SECONDS = (DELIVERY_LIMIT_MILLIS / 1000) * 3;

/**
 * Sends the mails of the outbox, shared among all replicas. Delivery is at least once: after a crash a mail may be sent
 * twice, under the same Message-ID. No row is locked while a mail is being sent.
 */
@Injectable()
export class MailSender {
  private readonly logger = new Logger(MailSender.name);
  private readonly deliver: DeliverMail | null;

  constructor(
    private readonly database: Database,
    @Inject(MAIL_CONFIG) config: MailConfig,
    @Inject(SITE_CONFIG) site: SiteConfig,
    private readonly composer: MailComposer,
    jobs: BackgroundJobs,
  ) {
    const deliver = createMailDelivery(config, site);
    this.deliver = deliver;
    jobs.onceAvailable(() => this.deleteOld());
    jobs.schedule('delete-old-mails', EVERY_HOUR, () => this.deleteOld());
    if (deliver) jobs.processRows({ [SEND_MAIL]: (id) => this.send(id, deliver) }, CONCURRENCY);
    else this.logger.warn('Neither SMTP_URL nor MAIL_FOLDER is set: no mail is sent.');
  }

  private async send(id: string, deliver: DeliverMail): Promise<void> {
    const claimed = await claimMail(this.database, id, CLAIM_SECONDS);
    if (!claimed) return;
    let mail: ComposedMail | null;
    try {
      mail = await this.composer.compose(claimed);
      if (mail) await deliver(mail);
    } catch (error) {
      return this.handleFailure(claimed, error);
    }
    // If this fails, the mail is sent again when its claim ends.
    const isSkipped = mail === null && claimed.kind === 'announcement';
    await (isSkipped ? skipAnnouncement : deleteMail)(this.database, id);
  }

  private async handleFailure(row: ClaimedMail, error: unknown): Promise<void> {
    const { id, kind, attempts } = row;
    const reason = describeFailure(error);
    const isPermanent = isPermanentFailure(error);
    if (isPermanent) await deleteMail(this.database, id);
    if (isPermanent || (await rescheduleOrGiveUp(this.database, row, reason)))
      this.logger.error(`Mail ${id} (${kind}) is given up after attempt ${attempts}: ${reason}`);
    else this.logger.warn(`Mail ${id} (${kind}) could not be sent at attempt ${attempts}: ${reason}`);
  }

  private async deleteOld(): Promise<void> {
    await deleteOldMailTokens(this.database);
    if (!this.deliver) await deleteExpiredMails(this.database);
  }
}
