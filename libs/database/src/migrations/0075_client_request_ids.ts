import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

const UP = `
-- The names that clients have given their calls. Several calls may have one name. A row of its own, because most calls have none.
CREATE TABLE metering.client_request_ids (
  client_request_id text,
  account_id text,
  -- Those of the call in usage_events or unserved_calls.
  occurred_at timestamptz,
  request_id text,
  CONSTRAINT client_request_ids_pkey PRIMARY KEY (client_request_id, account_id, occurred_at, request_id)
);
CREATE INDEX client_request_ids_request ON metering.client_request_ids (account_id, request_id);
CREATE INDEX client_request_ids_age ON metering.client_request_ids (occurred_at);
GRANT INSERT ON metering.client_request_ids TO gateway;
GRANT SELECT ON metering.client_request_ids TO console;
`;

const DOWN = `
-- Loses the names that clients have given their calls. Until the functions of the former version are installed, its gateways charge nothing.
DROP FUNCTION IF EXISTS metering.delete_old_client_request_ids;
DROP TABLE metering.client_request_ids;
`;

/** Calls are found by the ids of their clients. */
export class ClientRequestIds0000000000075 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
