import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration-runner/migration';

const UP = `
-- The console posts events for an account that is signed in, without any of its API keys.
ALTER TABLE agent.turns ALTER COLUMN api_key_id DROP NOT NULL;
`;

const DOWN = `
-- Loses the turns that the console posted, with their events.
DELETE FROM agent.turns WHERE api_key_id IS NULL;
ALTER TABLE agent.turns ALTER COLUMN api_key_id SET NOT NULL;
`;

export class TurnsWithoutKey0000000000023 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
