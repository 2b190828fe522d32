-- One login role per service. Roles belong to the whole server, so they may exist already because of another database.
DO $$
DECLARE
  service text;
BEGIN
  FOREACH service IN ARRAY ARRAY['console', 'gateway', 'router_cost', 'training', 'agent', 'memo'] LOOP
    BEGIN
      EXECUTE format('CREATE ROLE %I LOGIN', service);
    EXCEPTION WHEN duplicate_object OR unique_violation THEN
      NULL;
    END;
  END LOOP;
END $$;

REVOKE ALL ON SCHEMA public FROM PUBLIC;

CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;
