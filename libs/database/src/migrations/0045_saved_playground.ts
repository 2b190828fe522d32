import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

const UP = `
CREATE SCHEMA playground;
GRANT USAGE ON SCHEMA playground TO console;
CREATE TABLE playground.presets (
  id text COLLATE "C" PRIMARY KEY,
  account_id text NOT NULL REFERENCES accounts.accounts,
  name text NOT NULL,
  -- JSON of the pages, which the service does not read.
  settings text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (account_id, name)
);
CREATE INDEX presets_list ON playground.presets (account_id, created_at DESC, id DESC);
CREATE TABLE playground.conversations (
  id text COLLATE "C" PRIMARY KEY,
  account_id text NOT NULL REFERENCES accounts.accounts,
  title text NOT NULL,
  -- JSON of the pages, which the service does not read.
  content text NOT NULL,
  content_bytes integer NOT NULL,
  -- Grows by one with each change of the content.
  revision integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  updated_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX conversations_list ON playground.conversations (account_id, updated_at DESC, id DESC);
-- An account without a row has the defaults.
CREATE TABLE playground.settings (
  account_id text PRIMARY KEY REFERENCES accounts.accounts,
  saves_conversations boolean NOT NULL
);
GRANT SELECT, INSERT, UPDATE, DELETE ON playground.presets, playground.conversations, playground.settings TO console;
`;

// Loses all saved presets and conversations.
const DOWN = `
DROP SCHEMA playground CASCADE;
`;

/** Presets and conversations of the playground are kept for the account, not for a browser. */
export class SavedPlayground0000000000045 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
