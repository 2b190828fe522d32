import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

const UP = `
-- Where the process of a call answers other gateways.
ALTER TABLE metering.idempotent_calls ADD COLUMN owner text;
-- Its newer form has another signature, and comes with the function files.
DROP FUNCTION IF EXISTS metering.claim_call(text, text, text, text, text, text, integer);
`;

const DOWN = `
-- Loses which process has an answer: a retry through another one is told that its call runs, or was charged.
DROP FUNCTION IF EXISTS metering.claim_call;
ALTER TABLE metering.idempotent_calls DROP COLUMN owner;
`;

/** Retries of a call reach the process that runs it. */
export class RelayedCalls0000000000074 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
