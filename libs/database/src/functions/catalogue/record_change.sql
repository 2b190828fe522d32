-- Records when a part of the catalogue last changed, which its pages answer as Last-Modified.
CREATE OR REPLACE FUNCTION catalogue.record_change()
RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = ''
AS $$
BEGIN
  INSERT INTO catalogue.changes (topic, changed_at) VALUES (TG_ARGV[0], clock_timestamp())
  ON CONFLICT (topic) DO UPDATE SET changed_at =
    GREATEST(clock_timestamp(), date_trunc('second', changes.changed_at) + interval '1 second')
  -- Once in a transaction.
  WHERE changes.xmin::text <> (pg_current_xact_id()::xid)::text;
  RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION catalogue.record_change FROM PUBLIC;

CREATE OR REPLACE TRIGGER changelog_changed AFTER INSERT OR DELETE OR UPDATE ON catalogue.changelog_entries
  FOR EACH STATEMENT EXECUTE FUNCTION catalogue.record_change('changelog');

CREATE OR REPLACE TRIGGER model_changed AFTER INSERT OR UPDATE ON catalogue.models
  FOR EACH STATEMENT EXECUTE FUNCTION catalogue.record_change('models');

CREATE OR REPLACE TRIGGER release_changed AFTER INSERT OR DELETE OR UPDATE ON catalogue.releases
  FOR EACH STATEMENT EXECUTE FUNCTION catalogue.record_change('releases');

CREATE OR REPLACE TRIGGER price_list_changed AFTER INSERT ON pricing.price_lists
  FOR EACH STATEMENT EXECUTE FUNCTION catalogue.record_change('prices');
