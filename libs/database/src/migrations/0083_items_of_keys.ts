import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

/** '': its response was stored without a key, or before. */
const COLUMN = `ALTER TABLE responses.items ADD COLUMN IF NOT EXISTS api_key_id text NOT NULL DEFAULT ''`;
const INDEX = 'items_of_keys';
const UNIQUE = `CREATE UNIQUE INDEX CONCURRENTLY ${INDEX} ON responses.items (account_id, id, api_key_id)`;
const KEY = `
ALTER TABLE responses.items
  DROP CONSTRAINT items_pkey, ADD CONSTRAINT items_pkey PRIMARY KEY USING INDEX ${INDEX}`;

const DOWN = `
-- Loses which stored response has an item whose id another key of the account has stored, too: only one of them is found by it.
DELETE FROM responses.items i USING responses.items other
  WHERE other.account_id = i.account_id AND other.id = i.id AND other.api_key_id < i.api_key_id;
ALTER TABLE responses.items
  DROP CONSTRAINT items_pkey, ADD CONSTRAINT items_pkey PRIMARY KEY (account_id, id), DROP COLUMN api_key_id;
`;

/** Keys of one account may store items with the same id: each finds its own. */
export class ItemsOfKeys0000000000083 implements Migration {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(COLUMN);
    await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS responses.${INDEX}`);
    await runner.query(UNIQUE);
    await runner.query(KEY);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
