import { createTestDatabase, insertAccount, type TestDatabase, TestPool } from '@inference/testing';
import { readConsoleConfig } from '../../config';
import { ENTITIES } from '../../entities';
import { testEnvironment } from '../../testing/console.fixture';
import { type Payment } from '../payments/payment.entity';
import { ReceiptsService } from '../receipts/receipts.service';
import { paymentSnapshot } from './document-snapshot';
import { insertPayment } from './documents.fixture';
import { issueDocument, newDocumentId } from './documents.repository';

const CONCURRENCY = 50;
const YEAR = new Date().getUTCFullYear();

describe('documents', () => {
  let database: TestDatabase;
  /** Connects with the console's database role. */
  let pool: TestPool;
  let accountId: string;
  const config = readConsoleConfig(testEnvironment('postgres://console@db.test/platform'));

  beforeAll(async () => {
    database = await createTestDatabase(ENTITIES);
    const options = { url: database.urlFor('console'), applicationName: 'test', size: CONCURRENCY };
    pool = await TestPool.withEntities(options, ENTITIES);
    ({ accountId } = await insertAccount(database.pool));
  });
  afterEach(async () => {
    await database.pool.query('DELETE FROM billing.invoice_files');
    await database.pool.query('DELETE FROM billing.documents');
    await database.pool.query(
      "UPDATE billing.document_counters SET year = 0, last = 0, issued_at = '-infinity'",
    );
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const receipts = () => new ReceiptsService(pool, config.site, config.documents);
  const paid = () => insertPayment(database.pool, accountId);
  const issue = (payment: Payment) => pool.transaction((client) => receipts().issue(client, payment));
  async function numbers(): Promise<string[]> {
    const { rows } = await database.pool.query<{ number: string }>(
      'SELECT number FROM billing.documents ORDER BY issued_at, number',
    );
    return rows.map(({ number }) => number);
  }
  const receiptNumber = (index: number, year = YEAR) => `R-${year}-${String(index).padStart(6, '0')}`;
  const upTo = (count: number) => Array.from({ length: count }, (_, index) => receiptNumber(index + 1));

  it('have consecutive numbers in the order of their times despite concurrency and failures', async () => {
    const payments = await Promise.all(Array.from({ length: CONCURRENCY }, paid));
    const outcomes = await Promise.allSettled(
      payments.map((payment, index) =>
        pool.transaction(async (client) => {
          await receipts().issue(client, payment);
          if (index % 3 === 0) throw new Error('comes to nothing');
        }),
      ),
    );
    const issued = outcomes.filter(({ status }) => status === 'fulfilled').length;
    expect(issued).toBe(CONCURRENCY - Math.ceil(CONCURRENCY / 3));
    expect(await numbers()).toEqual(upTo(issued));
  });

  it('leave no gap when a host dies between taking a number and the commit', async () => {
    await issue(await paid());
    const [lost, kept] = [await paid(), await paid()];
    let next: Promise<void> | undefined;
    const dying = pool.transaction(async (transaction) => {
      const { rows } = await transaction.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      await receipts().issue(transaction, lost);
      next = issue(kept);
      await database.pool.query('SELECT pg_terminate_backend($1)', [rows[0]!.pid]);
    });
    await expect(dying).rejects.toThrow('terminat');
    await next;
    expect(await numbers()).toEqual(upTo(2));
  });

  it.each([
    ['intl', 'R-2031-000001'],
    ['cn', 'INV-2032-000001'],
  ] as const)('are numbered from one in each year of the time zone of site %s', async (site, number) => {
    const payment = await paid();
    const kind = site === 'intl' ? 'receipt' : 'invoice';
    await database.pool.query(
      "UPDATE billing.document_counters SET year = 2030, last = 77, issued_at = '2031-12-31T16:00:00Z'",
    );
    const snapshot = paymentSnapshot(payment, config.documents, 'en');
    const document = { kind, paymentId: payment.id, accountId, snapshot } as const;
    const { issuedAt, number: given } = await pool.transaction((transaction) =>
      issueDocument(transaction, site, newDocumentId(), document),
    );
    expect([given, issuedAt]).toEqual([number, new Date('2031-12-31T16:00:00Z')]);
  });

  it('are numbered on when the clock goes back over the new year, and beyond 999,999', async () => {
    await database.pool.query(
      "UPDATE billing.document_counters SET year = 2031, last = 999999, issued_at = '2031-01-01T00:00:00Z'",
    );
    await issue(await paid());
    await issue(await paid());
    expect(await numbers()).toEqual(['R-2031-1000000', 'R-2031-1000001']);
  });

  it('exist once per payment: the first stays and no number is lost', async () => {
    const payment = await paid();
    await issue(payment);
    await issue(payment);
    await issue(await paid());
    expect(await numbers()).toEqual(upTo(2));
  });

  it("cannot be updated or deleted by the console's role, and neither can tax files", async () => {
    await issue(await paid());
    const { rows } = await database.pool.query('SELECT id FROM billing.documents');
    await database.pool.query(
      "INSERT INTO billing.invoice_files VALUES ($1, 'application/pdf', 'a.pdf', 'a', 'a')",
      [rows[0].id],
    );
    for (const statement of [
      "UPDATE billing.documents SET snapshot = '{}'",
      "UPDATE billing.documents SET number = 'R-2026-000009'",
      'DELETE FROM billing.documents',
      'TRUNCATE billing.documents',
      "UPDATE billing.invoice_files SET bytes = 'b'",
      'DELETE FROM billing.invoice_files',
      "DELETE FROM billing.document_counters WHERE kind = 'receipt'",
    ])
      await expect(pool.query(statement)).rejects.toThrow('permission denied');
  });

  it("are inaccessible to the other services' roles", async () => {
    const gateway = TestPool.of({ url: database.urlFor('gateway'), applicationName: 'test', size: 1 });
    await expect(gateway.query('SELECT FROM billing.documents')).rejects.toThrow('permission denied');
    await gateway.end();
  });
});
