-- Requests the only mail that memo may send.
CREATE OR REPLACE FUNCTION accounts.queue_invitation_mail(mail_id text, address text, invited_by text)
RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = ''
AS $$
  INSERT INTO accounts.mail_outbox (id, kind, identifier, params)
  VALUES (mail_id, 'workspace_invitation', address, pg_catalog.jsonb_build_object('invitedBy', invited_by))
$$;
REVOKE EXECUTE ON FUNCTION accounts.queue_invitation_mail FROM PUBLIC;
GRANT EXECUTE ON FUNCTION accounts.queue_invitation_mail TO memo;
