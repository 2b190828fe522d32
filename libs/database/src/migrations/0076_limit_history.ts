import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

const UP = `
-- What all gateways have admitted of a subject, by twelfths of a minute. Kept for some minutes.
CREATE TABLE limits.part_uses (
  subject_id text,
  -- Twelfths of a minute since 1970.
  part bigint,
  requests bigint NOT NULL,
  tokens bigint NOT NULL,
  running integer NOT NULL,
  CONSTRAINT part_uses_pkey PRIMARY KEY (subject_id, part)
);
CREATE INDEX part_uses_part ON limits.part_uses (part);

-- The most that a subject has used of its limits on a day (UTC), each with the limit that was in force then; and how often each has refused.
CREATE TABLE limits.day_uses (
  account_id text,
  subject_id text,
  day date,
  requests bigint NOT NULL,
  request_limit bigint,
  tokens bigint NOT NULL,
  token_limit bigint,
  running integer NOT NULL,
  running_limit integer,
  -- Of the whole day.
  day_tokens bigint NOT NULL,
  day_limit bigint,
  refused_requests bigint NOT NULL,
  refused_tokens bigint NOT NULL,
  refused_running bigint NOT NULL,
  refused_day bigint NOT NULL,
  CONSTRAINT day_uses_pkey PRIMARY KEY (account_id, subject_id, day)
);
CREATE INDEX day_uses_day ON limits.day_uses (day);

GRANT SELECT ON limits.day_uses, limits.part_uses TO console;
`;

const DOWN = `
-- Loses how much of limits was used on former days.
DROP FUNCTION IF EXISTS limits.note_use, limits.limit_of_most, limits.delete_old_uses;
DROP TABLE limits.day_uses, limits.part_uses;
`;

/** Keeps what accounts and keys use of their limits by days. */
export class LimitHistory0000000000076 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
