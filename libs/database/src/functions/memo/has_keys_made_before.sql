-- Whether there are keys for delete_keys_made_before to delete.
CREATE OR REPLACE FUNCTION memo.has_keys_made_before(p_account text, p_before timestamptz)
RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ''
AS $$
  SELECT EXISTS (SELECT FROM memo.members m JOIN memo.keys k USING (workspace_id, account_id)
    WHERE m.account_id = p_account AND k.created_at < p_before)
$$;
REVOKE EXECUTE ON FUNCTION memo.has_keys_made_before FROM PUBLIC;
GRANT EXECUTE ON FUNCTION memo.has_keys_made_before TO console;
