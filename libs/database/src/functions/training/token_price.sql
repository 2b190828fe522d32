-- The current price of a token; null before the first one. All slugs have the same: older replicas name theirs.
CREATE OR REPLACE FUNCTION training.token_price(p_slug text, OUT price_list_id bigint, OUT rate_picos numeric)
RETURNS record LANGUAGE sql STABLE
AS $$
  SELECT p.price_list_id, p.token_rate_picos FROM pricing.training_prices p ORDER BY p.price_list_id DESC LIMIT 1;
$$;
REVOKE EXECUTE ON FUNCTION training.token_price FROM PUBLIC;
GRANT EXECUTE ON FUNCTION training.token_price TO training;
