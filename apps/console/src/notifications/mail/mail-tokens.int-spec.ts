import { createHash } from 'node:crypto';
import { type Transaction } from '@inference/database';
import { createTestDatabase, type TestDatabase, TestPool } from '@inference/testing';
import { ENTITIES } from '../../entities';
import { insertMailAccount, type MailAccount } from './mail.fixture';
import { type TokenMailKind } from './mail-kinds';
import { consumeMailToken, createMailToken } from './mail-tokens';
import { deleteOldMailTokens, revokeMailTokens } from './mail-tokens.repository';

describe('a mail token', () => {
  let database: TestDatabase;
  /** Uses the database role of the console. */
  let pool: TestPool;
  let account: MailAccount;

  beforeAll(async () => {
    database = await createTestDatabase(ENTITIES);
    const options = { url: database.urlFor('console'), applicationName: 'test', size: 10 };
    pool = await TestPool.withEntities(options, ENTITIES);
  });
  beforeEach(async () => (account = await insertMailAccount(database.pool)));
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const create = (purpose: TokenMailKind = 'reset_password') =>
    createMailToken(pool, { accountId: account.id, purpose, email: account.email });
  const consume = (purpose: TokenMailKind, token: string) =>
    pool.transaction((transaction) => consumeMailToken(transaction, purpose, token));
  const revoke = () =>
    pool.transaction((transaction) => revokeMailTokens(transaction, account.id, 'reset_password'));
  const owner = () => ({ accountId: account.id, email: account.email });

  it('has the prefix of its purpose and 43 random characters', async () => {
    expect(await create('reset_password')).toMatch(/^rst_[0-9A-Za-z]{43}$/);
    expect(await create('verify_email')).toMatch(/^vrf_[0-9A-Za-z]{43}$/);
    expect(await create()).not.toBe(await create());
  });

  it('can be used once', async () => {
    const token = await create();
    expect(await consume('reset_password', token)).toEqual(owner());
    expect(await consume('reset_password', token)).toBeNull();
  });

  it('is consumed by one of fifty concurrent uses', async () => {
    const token = await create();
    const answers = await Promise.all(Array.from({ length: 50 }, () => consume('reset_password', token)));
    expect(answers.filter((answer) => answer !== null)).toEqual([owner()]);
  });

  it('can be used again after a rollback', async () => {
    const token = await create();
    const rolledBack = pool.transaction(async (transaction) => {
      expect(await consumeMailToken(transaction, 'reset_password', token)).toEqual(owner());
      throw new Error('roll back');
    });
    await expect(rolledBack).rejects.toThrow('roll back');
    expect(await consume('reset_password', token)).toEqual(owner());
  });

  it('is revoked when another one for the same purpose is used, or all are revoked', async () => {
    const [first, second] = [await create(), await create()];
    const forAddress = await create('verify_email');
    expect(await consume('reset_password', second)).toEqual(owner());
    expect(await consume('reset_password', first)).toBeNull();
    await revoke();
    expect(await consume('verify_email', forAddress)).toEqual(owner());
    const third = await create();
    await revoke();
    expect(await consume('reset_password', third)).toBeNull();
  });

  it('does not deadlock with another token of the account', async () => {
    for (let round = 0; round < 20; round++) {
      const tokens = await Promise.all([create(), create(), create()]);
      const used = await Promise.all(tokens.map((token) => consume('reset_password', token)));
      expect(used).toContainEqual(owner());
    }
  });

  it.each([
    ['reset_password', 3_600],
    ['verify_email', 86_400],
  ] as const)('a token for %s is valid for %d seconds', async (purpose, seconds) => {
    const age = async (token: string, by: number) =>
      database.pool.query(
        'UPDATE accounts.mail_tokens SET expires_at = expires_at - make_interval(secs => $2) WHERE token_hash = $1',
        [createHash('sha256').update(token).digest(), by],
      );
    const [old, young] = [await create(purpose), await create(purpose)];
    await age(old, seconds + 1);
    await age(young, seconds - 60);
    expect(await consume(purpose, old)).toBeNull();
    expect(await consume(purpose, young)).toEqual(owner());
  });

  it('is valid for one purpose only', async () => {
    const token = await create('verify_email');
    expect(await consume('reset_password', token)).toBeNull();
    expect(await consume('reset_password', token.replace('vrf', 'rst'))).toBeNull();
    expect(await consume('verify_email', token)).toEqual(owner());
  });

  it('is refused without a query if it is malformed', async () => {
    const token = await create();
    const statement = jest.fn();
    const transaction = { query: statement, repository: statement } as unknown as Transaction;
    const malformed = ['', 'rst_', token.slice(0, -1), `${token}a`, `${token}\n`, ` ${token}`];
    malformed.push(
      token.slice(4),
      token.replace('rst_', 'RST_'),
      `rst_${'é'.repeat(43)}`,
      `rst_\0${token.slice(5)}`,
    );
    for (const text of malformed)
      expect(await consumeMailToken(transaction, 'reset_password', text)).toBeNull();
    expect(statement).not.toHaveBeenCalled();
  });

  it('is deleted a day after its expiry', async () => {
    const tokens = [await create(), await create()];
    await database.pool.query(
      "UPDATE accounts.mail_tokens SET expires_at = now() - interval '25 hours' WHERE token_hash = $1",
      [createHash('sha256').update(tokens[0]!).digest()],
    );
    await deleteOldMailTokens(pool);
    const { rows } = await database.pool.query(
      'SELECT token_hash FROM accounts.mail_tokens WHERE account_id = $1',
      [account.id],
    );
    expect(rows).toEqual([{ token_hash: createHash('sha256').update(tokens[1]!).digest() }]);
  });
});
