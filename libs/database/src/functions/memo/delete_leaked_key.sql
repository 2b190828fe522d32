-- Deletes the workspace key that is stored under one of these hashes, and says whose it was. No row: there is none.
CREATE OR REPLACE FUNCTION memo.delete_leaked_key(p_hashes bytea[])
RETURNS TABLE(key_id text, workspace_id text, account_id text, name text, prefix text) LANGUAGE sql SECURITY DEFINER SET search_path = ''
AS $$
  DELETE FROM memo.keys k WHERE k.key_hash = ANY(p_hashes) RETURNING k.id, k.workspace_id, k.account_id, k.name, k.prefix;
$$;
REVOKE EXECUTE ON FUNCTION memo.delete_leaked_key FROM PUBLIC;
GRANT EXECUTE ON FUNCTION memo.delete_leaked_key TO console;
