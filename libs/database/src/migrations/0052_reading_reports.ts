import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

const UP = [
  // What the text of a version lacks, and the offsets at which its pages begin. Empty in versions that were read before.
  `ALTER TABLE memo.document_versions
    ADD COLUMN IF NOT EXISTS omissions json NOT NULL DEFAULT '[]',
    ADD COLUMN IF NOT EXISTS page_starts integer[] NOT NULL DEFAULT '{}'`,
  // Segments of former versions, and those that a former version still writes, are rebuilt in the background.
  `ALTER TABLE memo.segments
    ADD COLUMN IF NOT EXISTS analysis smallint NOT NULL DEFAULT 1,
    ADD COLUMN IF NOT EXISTS vocabulary bytea NOT NULL DEFAULT '\\x'`,
  'DROP INDEX CONCURRENTLY IF EXISTS memo.segments_former_analysis',
  `CREATE INDEX CONCURRENTLY segments_former_analysis ON memo.segments (workspace_id)
   WHERE analysis < 2 AND workspace_id IS NOT NULL`,
];
const DOWN = [
  'DROP INDEX memo.segments_former_analysis',
  // Loses the reports of what was left out. The terms of the segments stay; the former version finds less with them.
  'ALTER TABLE memo.segments DROP analysis, DROP vocabulary',
  'ALTER TABLE memo.document_versions DROP omissions, DROP page_starts',
];

/** Reports of what was read, page numbers, and an index whose terms come from a newer analysis. */
export class ReadingReports0000000000052 implements Migration {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
