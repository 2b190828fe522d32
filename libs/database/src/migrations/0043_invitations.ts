import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration-runner/migration';

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

-- The address of an account that acts itself. An unconfirmed address may belong to somebody else.
CREATE FUNCTION memo.confirmed_email(account text) RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
  SELECT email FROM accounts.accounts WHERE id = account AND email_verified_at IS NOT NULL
$$;
-- Requests the only mail that the service may send.
CREATE FUNCTION accounts.queue_invitation_mail(mail_id text, address text, invited_by text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = '' AS $$
  INSERT INTO accounts.mail_outbox (id, kind, identifier, params)
  VALUES (mail_id, 'workspace_invitation', address, pg_catalog.jsonb_build_object('invitedBy', invited_by))
$$;
REVOKE ALL ON FUNCTION memo.confirmed_email(text), accounts.queue_invitation_mail(text, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION memo.confirmed_email(text), accounts.queue_invitation_mail(text, text, text) TO memo;
`;

// Loses the open invitations.
const DOWN = `
DROP FUNCTION accounts.queue_invitation_mail(text, text, text);
DROP FUNCTION memo.confirmed_email(text);
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
