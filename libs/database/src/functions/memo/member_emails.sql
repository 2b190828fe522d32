-- The service can read only the email addresses that it shows, or that a caller has entered.
CREATE OR REPLACE FUNCTION memo.member_emails(workspace text)
RETURNS TABLE(account_id text, email text) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ''
AS $$
  SELECT a.id, a.email FROM memo.members m JOIN accounts.accounts a ON a.id = m.account_id
  WHERE m.workspace_id = workspace AND m.shows_email
$$;
REVOKE EXECUTE ON FUNCTION memo.member_emails FROM PUBLIC;
GRANT EXECUTE ON FUNCTION memo.member_emails TO memo;
