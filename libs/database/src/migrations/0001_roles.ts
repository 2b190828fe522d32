import { type MigrationInterface, type QueryRunner } from 'typeorm';

const UP = `
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
`;

const DOWN = `
-- The roles stay, because other databases of the server may use them. CREATE on the schema, which PUBLIC had by default up
-- to PostgreSQL 14, stays revoked.
GRANT USAGE ON SCHEMA public TO PUBLIC;
`;

export class Roles0000000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
