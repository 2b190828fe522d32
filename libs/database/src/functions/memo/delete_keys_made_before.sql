-- Deletes the keys that an account made before a time, or all of them, whatever workspaces they are for. The locks of the workspaces
-- make it wait for keys that are being made, and keys that are made later wait for the end of the transaction.
CREATE OR REPLACE FUNCTION memo.delete_keys_made_before(p_account text, p_before timestamptz)
RETURNS TABLE(key_id text, workspace_id text) LANGUAGE plpgsql SECURITY DEFINER SET search_path = ''
AS $$
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
REVOKE EXECUTE ON FUNCTION memo.delete_keys_made_before FROM PUBLIC;
GRANT EXECUTE ON FUNCTION memo.delete_keys_made_before TO console;
