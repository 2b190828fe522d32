import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

const UP = `
CREATE TABLE memo.invitations (
  id text COLLATE "C" PRIMARY KEY,
  -- Null once the workspace is deleted: invitations are counted by account and address also after that.
  workspace_id text COLLATE "C" REFERENCES memo.workspaces ON DELETE SET NULL,
  email text NOT NULL,
  role memo.role NOT NULL,
  invited_by text NOT NULL REFERENCES accounts.accounts,
  inviter_email text NOT NULL,
  is_mailed boolean NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  ended_at timestamptz
);
CREATE INDEX invitations_workspace ON memo.invitations (workspace_id, created_at, id);
CREATE INDEX invitations_email ON memo.invitations (email, created_at, id);
CREATE INDEX invitations_inviter ON memo.invitations (invited_by, created_at);
CREATE INDEX invitations_created ON memo.invitations (created_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON memo.invitations TO memo;
`;

// Loses the open invitations.
const DOWN = `
DROP FUNCTION IF EXISTS accounts.queue_invitation_mail(text, text, text);
DROP FUNCTION IF EXISTS memo.confirmed_email(text);
DROP TABLE memo.invitations;
`;

/** People become members of a workspace by accepting an invitation of their address. */
export class Invitations0000000000043 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
