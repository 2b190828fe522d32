import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

const INDEXES = {
  'accounts.security_events_actor': 'accounts.security_events (actor_id, created_at, id)',
};

/** Staff finds what an account did. */
export class ReadByStaff0000000000085 implements Migration {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const [index, columns] of Object.entries(INDEXES)) {
      await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${index}`);
      await runner.query(`CREATE INDEX CONCURRENTLY ${index.split('.')[1]} ON ${columns}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX ${Object.keys(INDEXES).join(', ')}`);
  }
}
