-- Finds accounts by verified addresses only, because an unverified address may belong to somebody else.
CREATE OR REPLACE FUNCTION memo.find_account(address text)
RETURNS text LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ''
AS $$
  SELECT id FROM accounts.accounts WHERE email = lower(address) AND email_verified_at IS NOT NULL
$$;
REVOKE EXECUTE ON FUNCTION memo.find_account FROM PUBLIC;
GRANT EXECUTE ON FUNCTION memo.find_account TO memo;
