-- A call is found by the id of its client for 90 days.
CREATE OR REPLACE FUNCTION metering.delete_old_client_request_ids()
RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog
AS $$
  DELETE FROM metering.client_request_ids WHERE occurred_at < clock_timestamp() - interval '90 days';
$$;
REVOKE EXECUTE ON FUNCTION metering.delete_old_client_request_ids FROM PUBLIC;
GRANT EXECUTE ON FUNCTION metering.delete_old_client_request_ids TO gateway;
