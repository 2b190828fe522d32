import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

const UP = `
GRANT USAGE ON SCHEMA memo TO console;
`;

const DOWN = `
DROP FUNCTION IF EXISTS memo.has_keys_made_before(text, timestamptz);
DROP FUNCTION IF EXISTS memo.delete_keys_made_before(text, timestamptz);
REVOKE USAGE ON SCHEMA memo FROM console;
`;

export class RevokedWorkspaceKeys0000000000041 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
