-- Whose the workspace key is that is stored under one of these hashes. No row: there is none.
CREATE OR REPLACE FUNCTION memo.find_key(p_hashes bytea[])
RETURNS TABLE(key_id text, account_id text) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ''
AS $$
  SELECT k.id, k.account_id FROM memo.keys k WHERE k.key_hash = ANY(p_hashes);
$$;
REVOKE EXECUTE ON FUNCTION memo.find_key FROM PUBLIC;
GRANT EXECUTE ON FUNCTION memo.find_key TO console;
