import { type SignedIn, TestSite } from '../../testing/console.fixture';

describe('adjustments', () => {
  let site: TestSite;
  let admin: SignedIn;
  let account: SignedIn;
  const adjust = (changes: Record<string, unknown> = {}, key?: string, { token } = admin) =>
    site.console.request('POST', '/api/admin/billing/adjustments', {
      token,
      json: { account_id: account.accountId, amount: 25, description: 'Credit', ...changes },
      ...(key === undefined ? {} : { headers: { 'Idempotency-Key': key } }),
    });
  const balance = async () => {
    const { text } = await site.console.request('GET', '/api/billing/settings', { token: account.token });
    return /"balance":(-?[\d.]+),/.exec(text)![1];
  };

  beforeAll(async () => {
    site = await TestSite.start();
    admin = await site.signedIn('admin');
  });
  beforeEach(async () => (account = await site.signedIn()));
  afterAll(() => site.stop());

  it('changes the balance and appears in the transactions', async () => {
    const answer = await adjust();
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^txn_/),
      type: 'adjustment',
      amount: 25,
      currency: 'USD',
      created_at: expect.stringMatching(/Z$/),
      description: 'Credit',
      account_id: account.accountId,
    });
    expect(await balance()).toBe('25');
    await adjust({ amount: '-24.999999999999' });
    expect(await balance()).toBe('0.000000000001');
    const { account_id: _accountId, ...transaction } = answer.body as Record<string, unknown>;
    const list = await site.console.request('GET', '/api/billing/transactions', { token: account.token });
    expect((list.body as { transactions: unknown[] }).transactions[1]).toEqual({
      ...transaction,
      cause: 'correction',
      payment_id: null,
      provider: null,
      model: null,
    });
  });

  it('leaves ledger entries that sum to zero', async () => {
    await adjust();
    const { rows } = await site.database.pool.query(
      'SELECT sum(amount_picos) FROM wallet.entries GROUP BY transfer_id HAVING sum(amount_picos) <> 0',
    );
    expect(rows).toEqual([]);
  });

  it('posts once per idempotency key, also for concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => adjust({}, 'order 66')));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await balance()).toBe('25');
    expect((await adjust({ amount: '25.000' }, 'order 66')).text).toBe(answers[0]!.text);
    expect(await balance()).toBe('25');
  });

  it('answers 409 when a key is reused with another body', async () => {
    await adjust({}, 'key');
    const other = await site.signedIn();
    for (const change of [{ amount: 24 }, { description: 'Other' }, { account_id: other.accountId }]) {
      const answer = await adjust(change, 'key');
      expect([answer.status, answer.body]).toEqual([409, { error: expect.any(String) }]);
    }
    const unknown = await adjust({ account_id: 'acct_unknown' }, 'key');
    expect(unknown.status).toBe(409);
    expect(await balance()).toBe('25');
  });

  it('answers 409 to all but one of concurrent requests with one key and different bodies', async () => {
    const other = await site.signedIn();
    const bodies = Array.from({ length: 10 }, (_, n) => [
      { amount: n + 1 },
      { amount: n + 1, account_id: other.accountId },
    ]).flat();
    const answers = await Promise.all(bodies.map((body) => adjust(body, 'at once')));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(bodies.length - 1);
    const winner = bodies[statuses.indexOf(201)]!;
    const again = await adjust(winner, 'at once');
    expect(again.text).toBe(answers[statuses.indexOf(201)]!.text);
  });

  it('repeats the first answer even if the wallet was emptied since', async () => {
    const [first, _other] = [await adjust({}, 'in'), await adjust({ amount: -25 }, 'out')];
    expect((await adjust({}, 'in')).text).toBe(first.text);
    expect((await adjust({ amount: -25 }, 'out')).status).toBe(201);
    expect(await balance()).toBe('0');
  });

  it('keeps the keys of admins apart and posts every time without a key', async () => {
    await adjust({}, 'same');
    await adjust({}, 'same', await site.signedIn('admin'));
    await adjust();
    await adjust();
    expect(await balance()).toBe('100');
  });

  it('answers 409 and changes nothing when the wallet does not cover the deduction', async () => {
    await adjust({ amount: 1 });
    const answer = await adjust({ amount: '-1.000000000001' }, 'too much');
    expect([answer.status, answer.body]).toEqual([409, { error: expect.any(String) }]);
    expect(await balance()).toBe('1');
    await adjust({ amount: 1 });
    expect((await adjust({ amount: '-1.000000000001' }, 'too much')).status).toBe(201);
  });

  it('answers 404 for an unknown account', async () => {
    const answer = await adjust({ account_id: 'acct_unknown' });
    expect([answer.status, answer.body]).toEqual([404, { error: 'no such account' }]);
  });

  it.each([
    [{ account_id: undefined }, 'account_id'],
    [{ account_id: '' }, 'account_id'],
    [{ account_id: 'a\0' }, 'account_id'],
    [{ account_id: 'someone' }, 'account_id: must be an id like acct_'],
    [{ account_id: `acct_${'x'.repeat(65)}` }, 'account_id: must be an id like acct_'],
    [{ amount: 0 }, 'amount'],
    [{ amount: '0.000' }, 'amount'],
    [{ amount: '-0' }, 'amount'],
    [{ amount: 1e-13 }, 'amount'],
    [{ amount: 1e13 }, 'amount'],
    [{ amount: '1e999' }, 'amount'],
    [{ amount: null }, 'amount'],
    [{ amount: ' 1' }, 'amount'],
    [{ amount: '1,5' }, 'amount'],
    [{ amount: 0.1 + 0.2 }, 'amount'],
    [{ amount: [1] }, 'amount'],
    [{ description: '' }, 'description'],
    [{ description: 'x'.repeat(501) }, 'description'],
    [{ description: undefined }, 'description'],
    [{ currency: 'USD' }, 'currency'],
  ])('answers 400 for %j', async (changes, field) => {
    const answer = await adjust(changes);
    expect([answer.status, answer.body]).toEqual([400, { error: expect.stringContaining(field) }]);
    expect(await balance()).toBe('0');
  });

  it.each([['x'.repeat(256)], ['caf\u00e9'], ['a\tb']])(
    'answers 400 for the idempotency key %j',
    async (key) => {
      expect((await adjust({}, key)).status).toBe(400);
    },
  );
});
