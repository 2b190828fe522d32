import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * Rows without a block stay as they are; merges replace them. A service of the previous version finds no words in segments with
 * blocks, and its merges of such segments fail and change nothing.
 */
const UP = `
ALTER TABLE memo.postings ALTER data DROP NOT NULL, ADD block bytea;
ALTER TABLE memo.postings ALTER block SET STORAGE EXTERNAL;
`;

const DOWN = `
-- Loses the words of all segments with blocks: their documents have to be uploaded again.
DELETE FROM memo.postings WHERE data IS NULL;
ALTER TABLE memo.postings DROP block, ALTER data SET NOT NULL;
`;

export class PostingBlocks0000000000037 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
