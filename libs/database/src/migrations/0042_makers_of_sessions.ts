import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

const UP = [
  // The key that made the session. Sessions of earlier versions have none, so keys with limits do not see them.
  'ALTER TABLE agent.sessions ADD COLUMN IF NOT EXISTS api_key_id text REFERENCES accounts.api_keys',
  'DROP INDEX CONCURRENTLY IF EXISTS agent.sessions_api_key',
  `CREATE INDEX CONCURRENTLY sessions_api_key ON agent.sessions (api_key_id, created_at DESC, id DESC)
   WHERE api_key_id IS NOT NULL`,
  // What a key with a spending limit can still spend.
  'GRANT SELECT (api_key_id, account_id, limit_picos, spent_picos) ON wallet.key_budgets TO training',
];
const DOWN = [
  'REVOKE SELECT (api_key_id, account_id, limit_picos, spent_picos) ON wallet.key_budgets FROM training',
  // Loses which key made a session.
  'ALTER TABLE agent.sessions DROP COLUMN api_key_id',
];

/** A key with limits sees only the agent sessions that it has made. */
export class MakersOfSessions0000000000042 implements Migration {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
