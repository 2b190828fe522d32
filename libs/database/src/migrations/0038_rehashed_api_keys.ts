import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration-runner/migration';

const UP = `
-- While the secret of the hash is replaced, the service that is called with a key stores the key under the new one.
GRANT UPDATE (key_hash) ON accounts.api_keys TO gateway, router_cost, training, agent;
`;

const DOWN = `
REVOKE UPDATE (key_hash) ON accounts.api_keys FROM gateway, router_cost, training, agent;
`;

export class RehashedApiKeys0000000000038 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
