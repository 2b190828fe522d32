import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

/** The console empties what providers have signed once it is old. */
export class OldProviderEvents0000000000071 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('GRANT UPDATE (content) ON billing.provider_events TO console');
  }

  /** Loses nothing: what was emptied stays empty. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('REVOKE UPDATE (content) ON billing.provider_events FROM console');
  }
}
