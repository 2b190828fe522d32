-- The network of an address: an IPv4 address itself, or the /64 prefix of an IPv6 address, because one subscriber usually
-- has a whole /64. Text that is not an address is returned as it is, cut to 45 characters, the longest address.
CREATE OR REPLACE FUNCTION accounts.address_network(p_address text)
RETURNS text LANGUAGE sql IMMUTABLE STRICT
AS $$
  SELECT CASE
    WHEN p_address NOT LIKE '%:%' OR NOT pg_input_is_valid(split_part(p_address, '%', 1), 'inet')
      THEN left(p_address, 45)
    -- An IPv4 address as a socket for both kinds shows it.
    WHEN split_part(p_address, '%', 1)::inet <<= '::ffff:0:0/96'
      THEN substring(host(split_part(p_address, '%', 1)::inet) FROM 8)
    ELSE network(set_masklen(split_part(p_address, '%', 1)::inet, 64))::text
  END;
$$;
REVOKE EXECUTE ON FUNCTION accounts.address_network FROM PUBLIC;
GRANT EXECUTE ON FUNCTION accounts.address_network TO console;
