import { createTestDatabase, type TestDatabase, TestPool } from '@inference/testing';
import { ENTITIES } from '../../entities';

let database: TestDatabase;
/** Connected with the role of the console. */
let sql: TestPool;

beforeAll(async () => {
  database = await createTestDatabase(ENTITIES);
  sql = TestPool.of({ url: database.urlFor('console'), applicationName: 'test', size: 1 });
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});

describe('the network of an address', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::1', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['2001:db8::1', '2001:db8::/64'],
    ['unknown', 'unknown'],
    ['no:address', 'no:address'],
    [null, null],
  ])('%s is %s', async (address, network) => {
    const { rows } = await sql.query('SELECT accounts.address_network($1) AS network', [address]);
    expect(rows).toEqual([{ network }]);
  });

  it('is cut to the length of the longest address', async () => {
    const { rows } = await sql.query<{ length: number }>('SELECT length(accounts.address_network($1))', [
      'x'.repeat(5_000),
    ]);
    expect(rows).toEqual([{ length: 45 }]);
  });

  it('has an index for the sign-ins of an account', async () => {
    const { rows } = await database.pool
      .query(
        `
      BEGIN; SET LOCAL enable_seqscan = off;
      EXPLAIN SELECT FROM accounts.security_events
      WHERE account_id = 'a' AND accounts.address_network(address) = 'p' AND type IN ('session.opened', 'password.reset')
        AND created_at > now() - interval '30 days';
      ROLLBACK`,
      )
      .then((results) => (results as unknown as { rows: Record<string, string>[] }[])[2]!);
    expect(JSON.stringify(rows)).toContain('security_events_networks');
  });
});
