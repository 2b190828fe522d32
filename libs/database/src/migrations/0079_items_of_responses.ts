import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

const UP = `
-- Which response has brought an item of this id first: requests refer to it. It goes with the response.
CREATE TABLE responses.items (
  account_id text,
  id text,
  response_id text NOT NULL,
  CONSTRAINT items_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT items_account_id_response_id_fkey FOREIGN KEY (account_id, response_id)
    REFERENCES responses.stored (account_id, id) ON DELETE CASCADE
);
CREATE INDEX items_response ON responses.items (account_id, response_id);
GRANT SELECT, INSERT ON responses.items TO gateway;
`;

/** Requests refer to items of stored responses by their ids. Items that were stored before are not found. */
export class ItemsOfResponses0000000000079 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Loses which stored response has which item: requests cannot refer to them, also after the next upgrade.
      DROP TABLE responses.items`);
  }
}
