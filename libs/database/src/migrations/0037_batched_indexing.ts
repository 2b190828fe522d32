import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

/**
 * Blocks hold the postings of many terms. Rows without a block stay as they are; merges replace them. A service of the previous
 * version finds no words in segments with blocks, and its merges of such segments fail and change nothing.
 */
const UP = [
  'ALTER TABLE memo.postings ALTER data DROP NOT NULL, ADD COLUMN IF NOT EXISTS block bytea',
  'ALTER TABLE memo.postings ALTER block SET STORAGE EXTERNAL',
  'DROP INDEX CONCURRENTLY IF EXISTS memo.versions_waiting',
  `CREATE INDEX CONCURRENTLY versions_waiting ON memo.document_versions (workspace_id, created_at)
   WHERE status = 'queued' AND attempts = 0`,
];
const DOWN = [
  'DROP INDEX memo.versions_waiting',
  // Loses the words of all segments with blocks: their documents have to be uploaded again.
  'DELETE FROM memo.postings WHERE data IS NULL',
  'ALTER TABLE memo.postings DROP block, ALTER data SET NOT NULL',
];

/** Short documents are indexed many to a job. */
export class BatchedIndexing0000000000037 implements Migration {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
