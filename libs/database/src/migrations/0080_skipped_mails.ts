import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

/** Mails of announcements that were not handed over, because their accounts were not to get them any more, are counted. */
export class SkippedMails0000000000080 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE accounts.announcement_mailings ADD COLUMN skipped integer NOT NULL DEFAULT 0',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Loses how many mails of announcements were skipped.
      ALTER TABLE accounts.announcement_mailings DROP COLUMN skipped`);
  }
}
