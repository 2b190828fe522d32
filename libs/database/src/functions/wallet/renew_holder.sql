-- Extends all leases of a gateway process, which live as long as their holder or longer, without touching them. Returns false
-- if the holder was not known or may have expired: then some of its leases may be gone, and wallet.renew_leases tells which.
CREATE OR REPLACE FUNCTION wallet.renew_holder(p_holder text, p_ttl_seconds integer)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog
AS $$
BEGIN
  -- Who reclaims leases at this moment may still see the former end. A second is many times what a renewal takes.
  UPDATE wallet.lease_holders SET expires_at = clock_timestamp() + make_interval(secs => p_ttl_seconds)
  WHERE id = p_holder AND expires_at > clock_timestamp() + interval '1 second';
  IF FOUND THEN
    RETURN true;
  END IF;
  INSERT INTO wallet.lease_holders (id, expires_at)
  VALUES (p_holder, clock_timestamp() + make_interval(secs => p_ttl_seconds))
  ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at;
  RETURN false;
END $$;
REVOKE EXECUTE ON FUNCTION wallet.renew_holder FROM PUBLIC;
GRANT EXECUTE ON FUNCTION wallet.renew_holder TO gateway;
