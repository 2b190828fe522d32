-- Tells all processes that prices or exchange rates have changed.
CREATE OR REPLACE FUNCTION pricing.notify_change()
RETURNS trigger LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM pg_notify('pricing', '');
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER exchange_rate_stored AFTER INSERT OR DELETE OR UPDATE ON pricing.exchange_rates
  FOR EACH STATEMENT EXECUTE FUNCTION pricing.notify_change();

CREATE OR REPLACE TRIGGER price_list_published AFTER INSERT ON pricing.price_lists
  FOR EACH STATEMENT EXECUTE FUNCTION pricing.notify_change();
