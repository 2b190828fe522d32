-- The address of an account that acts itself. An unconfirmed address may belong to somebody else.
CREATE OR REPLACE FUNCTION memo.confirmed_email(account text)
RETURNS text LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ''
AS $$
  SELECT email FROM accounts.accounts WHERE id = account AND email_verified_at IS NOT NULL
$$;
REVOKE EXECUTE ON FUNCTION memo.confirmed_email FROM PUBLIC;
GRANT EXECUTE ON FUNCTION memo.confirmed_email TO memo;
