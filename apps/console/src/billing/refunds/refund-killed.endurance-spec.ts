import { reconcile } from '@inference/metering';
import {
  publishPrices,
  ScriptedModel,
  startGateway,
  type TestGateway,
  waitFor,
  waitForLock,
} from '@inference/testing';
import { type SignedIn } from '../../testing/console.fixture';
import { ConsoleProcess } from '../../testing/console-process.fixture';
import { PaymentSite } from '../payments/payments.fixture';

const MODEL = 'scripted';
/** 0.01 USD for an output token. The scripted model answers with five. */
const TOKEN_PICOS = 10n ** 10n;
const LEFT_CENTS = 1_995;
const GATE = 5_120_067;

/** Makes what the trigger follows wait for a lock. */
const WAIT_AT_GATE = `
  CREATE FUNCTION wallet.wait_at_gate() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock_shared(${GATE});
    RETURN NULL;
  END $$;`;
/** The refund was refused because of the lease, and asks the gateways to return it. */
const IN_RECALL = `
  CREATE TRIGGER gate AFTER UPDATE OF deduction_waits_until ON wallet.wallets
    FOR EACH ROW EXECUTE FUNCTION wallet.wait_at_gate();`;
/** The gateway has returned the lease, and the refund is in its COMMIT. */
const IN_COMMIT = `
  CREATE CONSTRAINT TRIGGER gate AFTER INSERT ON wallet.transfers DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.reference LIKE 'refund:%') EXECUTE FUNCTION wallet.wait_at_gate();`;

describe.each([
  ['asks the gateways for a lease', IN_RECALL, 0],
  ['has the money of the lease', IN_COMMIT, 1],
])('a refund whose console is killed while it %s', (_name, gate, refundsWithoutRepetition) => {
  let payments: PaymentSite;
  let model: ScriptedModel;
  let gateway: TestGateway;
  let admin: SignedIn;
  let account: SignedIn;
  let paymentId: string;
  const consoles: ConsoleProcess[] = [];

  beforeAll(async () => {
    payments = await PaymentSite.start('intl');
    model = await ScriptedModel.start();
    const { database } = payments.site;
    const price = { slug: MODEL, unit: 'per_million_output_tokens', ratePicos: TOKEN_PICOS } as const;
    await publishPrices(database.pool, [price]);
    // The lease does not expire.
    const environment = { LEASE_TTL_SECONDS: '3600' };
    gateway = await startGateway(database, [{ name: 'scripted', base_url: model.url }], environment);
    [admin, account] = [await payments.site.signedIn('admin'), await payments.site.signedIn()];
    ({ id: paymentId } = await payments.open(account, 'card_provider'));
    await payments.sandbox.act(paymentId, 'pay');
    await payments.waitForStatus(account, paymentId, 'paid');
  });
  afterAll(async () => {
    consoles.forEach((each) => each.kill());
    gateway?.child.kill();
    model?.close();
    await payments.stop();
  });

  /** Leaves the gateway with a lease that no request needs. The gateway returns it when five seconds have passed. */
  async function leaveIdleLease(): Promise<void> {
    const messages = [{ role: 'user', content: 'Hello' }];
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${account.apiKey}` },
      body: JSON.stringify({ model: MODEL, messages, max_tokens: 100, stream: true }),
    });
    await response.text();
    await waitFor(async () => (await payments.balance(account.accountId)) === LEFT_CENTS);
  }
  async function startConsole(): Promise<ConsoleProcess> {
    const { site, sandbox } = payments;
    const started = await ConsoleProcess.start(site, admin.token, sandbox.consoleEnvironment());
    consoles.push(started);
    return started;
  }
  const refund = ({ url }: ConsoleProcess) =>
    fetch(`${url}/api/admin/billing/payments/${paymentId}/refund`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Authorization: `Bearer ${admin.token}`,
        'Idempotency-Key': 'killed',
      },
      body: JSON.stringify({ amount: LEFT_CENTS / 100 }),
    });
  const storedRefunds = async () => {
    const { rows } = await payments.site.database.pool.query<{ id: string; status: string }>(
      'SELECT id, status FROM billing.refunds WHERE payment_id = $1',
      [paymentId],
    );
    return rows;
  };
  const ledger = async () => {
    const { rows } = await payments.site.database.pool.query<{ reference: string; cents: bigint }>(
      `SELECT t.reference, (e.amount_picos / 10000000000)::bigint AS cents
       FROM wallet.transfers t JOIN wallet.entries e ON e.transfer_id = t.id
       WHERE t.account_id = $1 AND t.reference LIKE 'refund:%' AND e.ledger_account = 'wallet:' || t.account_id`,
      [account.accountId],
    );
    return rows.map(({ reference, cents }) => [reference, Number(cents)]);
  };
  const leasedPicos = async () => {
    const query = 'SELECT leased_picos AS leased FROM wallet.wallets WHERE account_id = $1';
    const { rows } = await payments.site.database.pool.query<{ leased: bigint }>(query, [account.accountId]);
    return rows[0]!.leased;
  };

  it('is made once, and payment, ledger, wallet and provider agree', async () => {
    const { pool } = payments.site.database;
    const killed = await startConsole();
    await pool.query(WAIT_AT_GATE + gate);
    await leaveIdleLease();
    expect(await leasedPicos()).toBeGreaterThan(0n);
    const outcome = await pool.transaction(async (client) => {
      await client.query('SELECT pg_advisory_xact_lock($1)', [GATE]);
      const answer = refund(killed).then(
        async (response) => `${response.status} ${await response.text()}`,
        () => 'lost',
      );
      await Promise.race([waitForLock(pool), answer]);
      killed.kill();
      return [await answer, await storedRefunds(), await ledger()];
    });
    expect(outcome).toEqual(['lost', [], []]);

    const restarted = await startConsole();
    await waitFor(async () => (await storedRefunds()).length === refundsWithoutRepetition);
    const answers = await Promise.all([1, 2, 3].map(() => refund(restarted)));
    const ids = new Set<string>();
    for (const answer of answers) {
      expect(answer.status).toBe(201);
      ids.add(((await answer.json()) as { id: string }).id);
    }
    await waitFor(async () => (await storedRefunds()).every(({ status }) => status === 'succeeded'));
    const [id] = ids;
    expect([...ids]).toEqual([id]);
    expect(await storedRefunds()).toEqual([{ id, status: 'succeeded' }]);
    expect(await ledger()).toEqual([[`refund:${id}`, -LEFT_CENTS]]);
    expect([await payments.balance(account.accountId), await leasedPicos()]).toEqual([0, 0n]);
    expect((await payments.read(account, paymentId)).refunded_amount).toBe(LEFT_CENTS / 100);
    expect((await payments.sandbox.order(paymentId)).refunds).toMatchObject([{ amount_minor: LEFT_CENTS }]);
    expect(await reconcile(pool)).toEqual([]);
  });
});
