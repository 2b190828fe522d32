import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration-runner/migration';

const UP = `
GRANT USAGE ON SCHEMA memo TO console;

-- Deletes the keys that an account made before a time, or all of them, whatever workspaces they are for. The locks of the workspaces
-- make it wait for keys that are being made, and keys that are made later wait for the end of the transaction.
CREATE FUNCTION memo.delete_keys_made_before(p_account text, p_before timestamptz)
RETURNS TABLE (key_id text, workspace_id text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
  -- The lock under which an account creates workspaces: keys for one that is being created wait, too.
  PERFORM pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('memo.workspaces:' || p_account, 0));
  PERFORM FROM memo.workspaces w
  WHERE w.id IN (SELECT m.workspace_id FROM memo.members m WHERE m.account_id = p_account)
  ORDER BY w.id FOR NO KEY UPDATE;
  RETURN QUERY
    DELETE FROM memo.keys k USING memo.members m
    WHERE m.account_id = p_account AND k.workspace_id = m.workspace_id AND k.account_id = m.account_id
      AND (p_before IS NULL OR k.created_at < p_before)
    RETURNING k.id, k.workspace_id;
END $$;
CREATE FUNCTION memo.has_keys_made_before(p_account text, p_before timestamptz) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
  SELECT EXISTS (SELECT FROM memo.members m JOIN memo.keys k USING (workspace_id, account_id)
    WHERE m.account_id = p_account AND k.created_at < p_before)
$$;
REVOKE ALL ON FUNCTION memo.delete_keys_made_before(text, timestamptz), memo.has_keys_made_before(text, timestamptz)
  FROM PUBLIC;
GRANT EXECUTE ON FUNCTION memo.delete_keys_made_before(text, timestamptz), memo.has_keys_made_before(text, timestamptz)
  TO console;
`;

const DOWN = `
DROP FUNCTION memo.has_keys_made_before(text, timestamptz);
DROP FUNCTION memo.delete_keys_made_before(text, timestamptz);
REVOKE USAGE ON SCHEMA memo FROM console;
`;

export class RevokedWorkspaceKeys0000000000041 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
