import { Database } from '@inference/database';
import { BackgroundJobs, EVERY_TEN_MINUTES } from '@inference/jobs';
import { Injectable } from '@nestjs/common';
import { queueMail } from '../../notifications/mail/outbox';
import { claimExpiringKeys, deleteEndedSecrets } from './api-keys.repository';

/** Keys of one transaction, so that none holds its locks for long. */
const BATCH_KEYS = 100;

/** Requests a mail for each key that expires within seven days, and another one within one day; deletes former secrets that have ended. */
@Injectable()
export class ExpiringKeysJob {
  constructor(
    private readonly database: Database,
    jobs: BackgroundJobs,
  ) {
    jobs.schedule('warn-of-expiring-keys', EVERY_TEN_MINUTES, () => this.run());
  }

  async run(): Promise<void> {
    while ((await this.warnSome()) === BATCH_KEYS);
    await deleteEndedSecrets(this.database);
  }

  private warnSome(): Promise<number> {
    return this.database.transaction(async (transaction) => {
      const keys = await claimExpiringKeys(transaction, BATCH_KEYS);
      for (const { accountId, name, prefix, expiresAt } of keys) {
        const params = { name, prefix, at: expiresAt.toISOString() };
        await queueMail(transaction, { kind: 'api_key_expiring', accountId, params });
      }
      return keys.length;
    });
  }
}
