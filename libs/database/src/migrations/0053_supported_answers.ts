import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

const UP = `
-- The page on which a cited slice begins. Null in formats without pages, and in citations of former versions.
ALTER TABLE memo.citations ADD page integer;
-- The sentences of an answer that nothing supports.
ALTER TABLE memo.messages ADD unsupported json NOT NULL DEFAULT '[]';
`;
const DOWN = `
ALTER TABLE memo.messages DROP unsupported;
ALTER TABLE memo.citations DROP page;
`;

/** Pages of citations, and sentences of answers without support. */
export class SupportedAnswers0000000000053 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
