import { DatabaseBefore } from '../database-before.fixture';
import { migrateJobQueues } from '../job-queues';
import { describeMigration } from '../migration';
import { revertsOneByOne } from './down.fixture';
import { MIGRATIONS } from './migration-list';

const NAMES = MIGRATIONS.map(({ name }) => describeMigration(name).name);

/** Whose rows are looked at while it is the newest one of the database. */
const UNICODE = '0048_international_addresses';

/** The newest migrations; `down.endurance-spec.ts` judges all. */
const JUDGED_ONE_BY_ONE = 6;

/** Rows that the earlier schemas cannot hold, or that refer to others. */
const FILL = `
  INSERT INTO accounts.accounts (id, email, language) VALUES ('a', 'a@example.com', 'zh-CN');
  INSERT INTO accounts.api_keys (id, account_id, name, prefix, key_hash) VALUES ('key', 'a', 'k', 'bfvk-1', 'x');
  INSERT INTO accounts.mail_outbox (id, kind, account_id) VALUES ('mail', 'welcome', 'a');
  INSERT INTO wallet.wallets (account_id, currency) VALUES ('a', 'USD');
  INSERT INTO billing.payments (id, account_id, provider, amount_minor, currency, expires_at, next_check_at)
  VALUES ('payment', 'a', 'card_provider', 100, 'USD', now(), now());
  INSERT INTO billing.refunds (id, payment_id, amount_minor, ordered_by) VALUES ('refund', 'payment', 1, 'a');
  INSERT INTO catalogue.followed_repositories (component, repository) VALUES ('engine', 'r');
  INSERT INTO pricing.price_lists (kind) VALUES ('training'), ('models');
  INSERT INTO pricing.training_prices (price_list_id, token_rate_picos) VALUES (1, 1);
  INSERT INTO agent.sessions (id, public_id, account_id) VALUES ('session', 'chat', 'a');
  INSERT INTO memo.workspaces (id, name, created_by) VALUES ('workspace', 'w', 'a')`;

describe('down', () => {
  let database: DatabaseBefore;

  beforeAll(async () => {
    database = await DatabaseBefore.createEmpty();
    await migrateJobQueues(database.url);
    await database.migrateUp(NAMES.indexOf(UNICODE) + 1);
  });

  afterAll(() => database?.drop());

  it('stores domains in Unicode and gives the former version its spelling back', async () => {
    const addresses = async () =>
      (await database.owner.query<{ email: string }>('SELECT email FROM accounts.accounts ORDER BY id')).rows;
    const ascii = [{ email: 'x@xn--mller-kva.example' }, { email: 'y@mail.xn--fsqu00a.example' }];
    await database.migrateDown(UNICODE);
    await database.owner.query(
      "INSERT INTO accounts.accounts (id, email) VALUES ('x', $1), ('y', $2)",
      ascii.map(({ email }) => email),
    );
    await database.migrateUp(1, { functions: [] });
    expect(await addresses()).toEqual([{ email: 'x@müller.example' }, { email: 'y@mail.例子.example' }]);
    await database.migrateDown(UNICODE);
    expect(await addresses()).toEqual(ascii);
    await database.migrateUp(1, { functions: [] });
    await database.owner.query("DELETE FROM accounts.accounts WHERE id IN ('x', 'y')");
  });

  it('leaves addresses that are no domain, another spelling, or taken in Unicode', async () => {
    const kept = [
      { email: 'a@xn--a.example' },
      { email: 'b@xn--abc-.example' },
      { email: 'c@xn--mller-kva.example' },
      { email: 'c@müller.example' },
    ];
    await database.migrateDown(UNICODE);
    await database.owner.query(
      "INSERT INTO accounts.accounts (id, email) VALUES ('1', $1), ('2', $2), ('3', $3), ('4', $4)",
      kept.map(({ email }) => email),
    );
    await database.migrateUp(1, { functions: [] });
    expect((await database.owner.query('SELECT email FROM accounts.accounts ORDER BY id')).rows).toEqual(
      kept,
    );
    await database.owner.query("DELETE FROM accounts.accounts WHERE id IN ('1', '2', '3', '4')");
  });

  describe('one of the newest migrations', () => {
    beforeAll(() => database.migrateUp(NAMES.length - JUDGED_ONE_BY_ONE - NAMES.indexOf(UNICODE) - 1));

    revertsOneByOne(() => database, NAMES.slice(-JUDGED_ONE_BY_ONE));
  });

  it('reverts all migrations of a filled database', async () => {
    expect(await database.migrateUp()).toEqual([]);
    await database.owner.query(FILL);
    const objects = await database.readObjects();
    const jobs = async () => (await database.owner.query('SELECT FROM console_jobs.jobs')).rows.length;
    expect(await jobs()).toBe(3);
    for (const name of [...NAMES].reverse()) await database.migrateDown(name);
    await expect(database.migrateDown('0034_refunds_and_late_payments')).rejects.toThrow(
      '0034_refunds_and_late_payments cannot be reverted: it is a part of the baseline.',
    );
    // What gateways of the former version call.
    await database.owner.query("SELECT metering.settle('s', '[]'), metering.delete_old_settlements()");
    expect(await database.migrateUp(NAMES.length)).toEqual(NAMES);
    expect(await database.readObjects()).toEqual(objects);
  });
});
