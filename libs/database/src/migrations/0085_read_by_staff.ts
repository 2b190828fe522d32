import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

const INDEXES = {
  'accounts.security_events_actor': 'accounts.security_events (actor_id, created_at, id)',
  'memo.documents_creator': 'memo.documents (created_by, created_at, id)',
};

/** What a document is called and how it is, without its text and what its owner has noted of it. */
const COLUMNS = {
  'memo.documents': 'id, workspace_id, version, serving_version, created_by, created_at, updated_at',
  'memo.document_versions': 'document_id, version, title, media_type, bytes, status, error_code',
};

/** Staff finds what an account did, and which documents it has. */
export class ReadByStaff0000000000085 implements Migration {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const [index, columns] of Object.entries(INDEXES)) {
      await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${index}`);
      await runner.query(`CREATE INDEX CONCURRENTLY ${index.split('.')[1]} ON ${columns}`);
    }
    for (const [table, columns] of Object.entries(COLUMNS))
      await runner.query(`GRANT SELECT (${columns}) ON ${table} TO console`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const [table, columns] of Object.entries(COLUMNS))
      await runner.query(`REVOKE SELECT (${columns}) ON ${table} FROM console`);
    await runner.query(`DROP INDEX ${Object.keys(INDEXES).join(', ')}`);
  }
}
