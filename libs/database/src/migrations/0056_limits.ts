import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

const UP = `
-- How fast keys and accounts may call models.
CREATE SCHEMA limits;
GRANT USAGE ON SCHEMA limits TO gateway, console;

-- What is limited: a key, or an account's use of a model. A draw locks its row.
CREATE TABLE limits.subjects (
  id text,
  account_id text NOT NULL,
  -- The day (UTC) of day_tokens.
  day date NOT NULL,
  day_tokens bigint NOT NULL DEFAULT 0,
  drawn_at timestamptz NOT NULL,
  CONSTRAINT subjects_pkey PRIMARY KEY (id)
);
CREATE INDEX subjects_account ON limits.subjects (account_id);
CREATE INDEX subjects_drawn ON limits.subjects (drawn_at);

-- Requests and tokens that a gateway process may admit until the end of the slice. They count for a window after it.
CREATE TABLE limits.slices (
  subject_id text,
  id text,
  requests bigint NOT NULL,
  tokens bigint NOT NULL,
  ends_at timestamptz NOT NULL,
  CONSTRAINT slices_pkey PRIMARY KEY (subject_id, id),
  CONSTRAINT slices_subject_id_fkey FOREIGN KEY (subject_id) REFERENCES limits.subjects ON DELETE CASCADE
);

-- Calls that a gateway process may run at a time, until they expire.
CREATE TABLE limits.slots (
  subject_id text,
  holder text,
  slots integer NOT NULL,
  expires_at timestamptz NOT NULL,
  CONSTRAINT slots_pkey PRIMARY KEY (subject_id, holder),
  CONSTRAINT slots_subject_id_fkey FOREIGN KEY (subject_id) REFERENCES limits.subjects ON DELETE CASCADE
);

-- Limits that staff has set for an account in place of those of its tier. Model '*': each model without limits of its own.
CREATE TABLE limits.overrides (
  account_id text,
  model text,
  requests_per_minute integer,
  tokens_per_minute integer,
  tokens_per_day bigint,
  max_concurrency integer,
  reason text NOT NULL,
  set_by text NOT NULL,
  set_at timestamptz NOT NULL DEFAULT now(),
  ends_at timestamptz,
  CONSTRAINT overrides_pkey PRIMARY KEY (account_id, model),
  CONSTRAINT overrides_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts.accounts,
  CONSTRAINT overrides_set_by_fkey FOREIGN KEY (set_by) REFERENCES accounts.accounts
);

GRANT SELECT ON limits.subjects, limits.slices, limits.slots TO console;
GRANT SELECT, INSERT, UPDATE, DELETE ON limits.overrides TO console;
GRANT SELECT ON limits.overrides TO gateway;
`;

const DOWN = `
-- Loses the limits that staff has set.
DROP FUNCTION IF EXISTS limits.draw, limits.hold_slots, limits.standing_of, limits.delete_unused;
DROP TABLE limits.overrides, limits.slots, limits.slices, limits.subjects;
DROP FUNCTION IF EXISTS limits.notify_override;
DROP SCHEMA limits;
`;

/** Limits of requests, tokens and running calls, which all gateways share. */
export class Limits0000000000056 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
