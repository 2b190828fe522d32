import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

const UP = `
-- Whether the answers of models tell their price.
ALTER TABLE accounts.api_keys ADD reports_cost boolean NOT NULL DEFAULT true;
-- What was wrong with the usage that an upstream reported. Null: nothing, or not examined.
ALTER TABLE metering.usage_events ADD usage_fault text;
`;

const DOWN = `
-- Loses which keys keep the price out of their answers, and which reports of usage were faulty.
DO $$ BEGIN
  -- Functions are installed after all migrations, and the trigger with them.
  IF EXISTS (SELECT FROM pg_trigger WHERE tgname = 'api_key_changed') THEN
    CREATE OR REPLACE TRIGGER api_key_changed AFTER DELETE OR UPDATE OF deleted_at, key_hash, spend_limit_picos, allowed_models
      ON accounts.api_keys FOR EACH ROW EXECUTE FUNCTION accounts.notify_credential_change('api_key');
  END IF;
END $$;
ALTER TABLE accounts.api_keys DROP reports_cost;
ALTER TABLE metering.usage_events DROP usage_fault;
`;

/** Answers that tell their price, a key's switch for it, and faults of reported usage. */
export class PricesInAnswers0000000000051 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
