-- Refuses to change a stored file, and to delete a published package or its publication time.
CREATE OR REPLACE FUNCTION catalogue.prevent_package_change()
RETURNS trigger LANGUAGE plpgsql
AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF OLD.published_at IS NULL THEN RETURN OLD; END IF;
  ELSIF (OLD.stored_at IS NULL OR (NEW.stored_at, NEW.sha256) = (OLD.stored_at, OLD.sha256))
    AND (OLD.published_at IS NULL OR NEW.published_at IS NOT DISTINCT FROM OLD.published_at) THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'a package never changes';
END $$;

CREATE OR REPLACE TRIGGER package_immutable BEFORE DELETE OR UPDATE ON catalogue.packages
  FOR EACH ROW EXECUTE FUNCTION catalogue.prevent_package_change();
