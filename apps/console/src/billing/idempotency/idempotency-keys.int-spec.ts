import { createTestDatabase, insertAccount, type TestDatabase, TestPool } from '@inference/testing';
import { ENTITIES } from '../../entities';
import {
  claimIdempotencyKey,
  type IdempotentRequest,
  releaseIdempotencyKey,
  storeFirstAnswer,
} from './idempotency-keys';

describe('an idempotency key', () => {
  let database: TestDatabase;
  /** Connects with the console's database role. */
  let pool: TestPool;
  let request: IdempotentRequest;

  beforeAll(async () => {
    database = await createTestDatabase(ENTITIES);
    const options = { url: database.urlFor('console'), applicationName: 'test', size: 2 };
    pool = await TestPool.withEntities(options, ENTITIES);
  });
  beforeEach(async () => {
    const { accountId } = await insertAccount(database.pool);
    request = { accountId, operation: 'refund', key: 'key', content: { amount: 1n } };
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const claim = (changes: Partial<IdempotentRequest> = {}) =>
    pool.transaction((transaction) => claimIdempotencyKey(transaction, { ...request, ...changes }, 'rfd_1'));
  const release = (changes: Partial<IdempotentRequest> = {}) =>
    pool.transaction((transaction) => releaseIdempotencyKey(transaction, { ...request, ...changes }));

  it('names one request of one account and operation', async () => {
    const { accountId: other } = await insertAccount(database.pool);
    expect(await claim()).toBeNull();
    expect(await claim()).toEqual({ resourceId: 'rfd_1', answer: null });
    expect(await claim({ operation: 'invoice' })).toBeNull();
    expect(await claim({ accountId: other })).toBeNull();
    await expect(claim({ content: { amount: 2n } })).rejects.toThrow('used for a different request');
  });

  it('keeps the first answer', async () => {
    await claim();
    expect(await storeFirstAnswer(pool, request, { id: 'first' })).toEqual({ id: 'first' });
    expect(await storeFirstAnswer(pool, request, { id: 'second' })).toEqual({ id: 'first' });
    expect(await claim()).toEqual({ resourceId: 'rfd_1', answer: { id: 'first' } });
  });

  it('can be used again after its release, unless it was answered', async () => {
    await claim();
    await release();
    expect(await claim()).toBeNull();
    await storeFirstAnswer(pool, request, { id: 'first' });
    await release();
    expect(await claim()).toMatchObject({ answer: { id: 'first' } });
  });

  it('that is absent lets every request take effect', async () => {
    await claim();
    expect(await claim({ key: null })).toBeNull();
    expect(await storeFirstAnswer(pool, { ...request, key: null }, 'answer')).toBe('answer');
    await release({ key: null });
    expect(await claim()).not.toBeNull();
  });
});
