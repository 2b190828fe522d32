-- The id of a refused batch stays taken as long as its requests are kept.
CREATE OR REPLACE FUNCTION metering.delete_old_settlements()
RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog
AS $$
  DELETE FROM metering.refused_requests WHERE refused_at < clock_timestamp() - interval '30 days';
  DELETE FROM metering.settlements s WHERE settled_at < clock_timestamp() - interval '1 day'
    AND NOT EXISTS (SELECT FROM metering.refused_requests r WHERE r.settlement_id = s.id);
$$;
REVOKE EXECUTE ON FUNCTION metering.delete_old_settlements FROM PUBLIC;
GRANT EXECUTE ON FUNCTION metering.delete_old_settlements TO gateway;
