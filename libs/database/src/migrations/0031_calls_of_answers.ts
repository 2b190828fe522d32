import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration-runner/migration';

const UP = `
-- Name the calls of models that an answer cost, as metering.usage_events does. Answers of earlier versions have none.
ALTER TABLE agent.events ADD COLUMN request_id text;
ALTER TABLE memo.messages
  ADD COLUMN request_ids text[] NOT NULL DEFAULT '{}',
  ADD COLUMN passages json NOT NULL DEFAULT '[]';
`;

const DOWN = `
-- Loses which calls an answer cost, and from which passages it was written.
ALTER TABLE memo.messages DROP COLUMN passages, DROP COLUMN request_ids;
ALTER TABLE agent.events DROP COLUMN request_id;
`;

export class CallsOfAnswers0000000000031 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
