import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

const UP = `
-- While the secret of the hash is replaced, the service that is called with a key stores the key under the new one. router_cost
-- only reads.
GRANT UPDATE (key_hash) ON accounts.api_keys TO gateway, training, agent;
`;

const DOWN = `
REVOKE UPDATE (key_hash) ON accounts.api_keys FROM gateway, training, agent;
`;

export class RehashedApiKeys0000000000038 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
