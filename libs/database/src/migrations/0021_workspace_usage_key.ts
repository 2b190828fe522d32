import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration-runner/migration';

const UP = `
-- Without a key single rows could neither be named nor be replicated.
ALTER TABLE memo.workspace_usage ADD COLUMN id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY;
`;

const DOWN = `
ALTER TABLE memo.workspace_usage DROP COLUMN id;
`;

export class WorkspaceUsageKey0000000000021 implements Migration {
  readonly acceptedLock = 'The table has a few rows for each workspace.';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
