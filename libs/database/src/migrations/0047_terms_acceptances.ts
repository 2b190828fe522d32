import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

const UP = `
CREATE TABLE accounts.terms_acceptances (
  account_id text NOT NULL REFERENCES accounts.accounts,
  version text NOT NULL,
  accepted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (account_id, version)
);
GRANT SELECT, INSERT ON accounts.terms_acceptances TO console;
`;

// Loses which terms of use accounts have accepted.
const DOWN = `DROP TABLE accounts.terms_acceptances`;

/** Which versions of the terms of use an account has accepted, and when. */
export class TermsAcceptances0000000000047 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
