-- What decides the tier of an account: how much it has paid in all, less what was paid back, and for how long it exists.
CREATE OR REPLACE FUNCTION limits.standing_of(p_account text, OUT paid_picos numeric, OUT age_seconds double precision)
RETURNS record LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog
AS $$
  SELECT
    greatest(0, coalesce((
      SELECT sum(e.amount_picos) FROM wallet.transfers t JOIN wallet.entries e ON e.transfer_id = t.id
      WHERE t.account_id = p_account AND t.kind = 'topup' AND e.ledger_account = 'wallet:' || p_account
    ), 0) + coalesce((
      SELECT sum(e.amount_picos) FROM wallet.transfers t JOIN wallet.entries e ON e.transfer_id = t.id
      WHERE t.account_id = p_account AND t.kind = 'adjustment' AND t.reference LIKE 'refund:%' AND e.ledger_account = 'wallet:' || p_account
    ), 0)),
    extract(epoch FROM clock_timestamp() - (SELECT created_at FROM accounts.accounts WHERE id = p_account));
$$;
REVOKE EXECUTE ON FUNCTION limits.standing_of FROM PUBLIC;
GRANT EXECUTE ON FUNCTION limits.standing_of TO gateway, console;
