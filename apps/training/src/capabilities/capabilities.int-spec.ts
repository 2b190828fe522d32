import {
  createTestDatabase,
  insertAccount,
  insertApiKey,
  publishGpuPrices,
  publishPrices,
  publishTrainingPrice,
  type TestAccount,
  type TestDatabase,
} from '@inference/testing';
import { ENTITIES } from '../entities';
import {
  CAPABILITIES,
  DEFAULT_QUOTA,
  exactData,
  type RunningTraining,
  startTraining,
} from '../training.fixture';

/** 12.345678901234 in the site's currency: more digits than any price has. */
const BALANCE_PICOS = 12_345_678_901_234n;
const TOKEN_PICOS = 2_500_001n;
const GPU_HOUR_PICOS = 2_990_000_000_001n;

interface Pricing {
  gpu_hour_usd: string;
  token_per_m_usd: string;
}

const pricingOf = async (service: RunningTraining, { apiKey }: TestAccount) =>
  exactData<{ pricing: Pricing }>(await service.call('GET', CAPABILITIES, apiKey)).pricing;

describe('at the international site', () => {
  let database: TestDatabase;
  let service: RunningTraining;
  let account: TestAccount;

  beforeAll(async () => {
    database = await createTestDatabase(ENTITIES);
    account = await insertAccount(database.pool, { balancePicos: BALANCE_PICOS });
    service = await startTraining({
      DATABASE_URL: database.urlFor('training'),
      TRAINING_MODELS: 'acme/base-7b,acme/base-70b',
    });
  });
  afterAll(async () => {
    await service.app.close();
    await database.drop();
  });

  const refusal = async () => {
    const { status, body } = await service.call('GET', CAPABILITIES, account.apiKey);
    return [status, body];
  };

  it('responds 503 until the price of training is published', async () => {
    const unpriced = [503, { code: 50301, data: {}, message: 'no price of training is published' }];
    expect(await refusal()).toEqual(unpriced);
    // A model of this name is not the price of training.
    await publishPrices(database.pool, [{ slug: 'training', unit: 'per_million_tokens', ratePicos: 1n }]);
    expect(await refusal()).toEqual(unpriced);
    await publishTrainingPrice(database.pool, 1n, null);
    const message = 'the published price of training has no GPU hour';
    expect(await refusal()).toEqual([503, { code: 50302, data: {}, message }]);
  });

  it('needs no price of models or GPUs', async () => {
    await publishTrainingPrice(database.pool, 0n, 0n);
    await publishPrices(database.pool, []);
    await publishGpuPrices(database.pool, []);
    expect(await pricingOf(service, account)).toMatchObject({ gpu_hour_usd: '0', token_per_m_usd: '0' });
  });

  it('returns all specified fields in the envelope, with every digit', async () => {
    await publishTrainingPrice(database.pool, TOKEN_PICOS, GPU_HOUR_PICOS);
    const { status, headers, text } = await service.call('GET', CAPABILITIES, account.apiKey);
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
      200,
      'application/json; charset=utf-8',
      'no-store',
    ]);
    const lists =
      '"models":["acme/base-7b","acme/base-70b"],' +
      '"methods":["sft","opd","grpo","dpo","kto","orpo","simpo","ppo","pretrain","distill","qat"],' +
      '"lora_methods":["lora","qlora","dora","none"],"export_formats":["gguf","mlx","mnn","qnn"],' +
      '"target_modules":["q_proj","k_proj","v_proj","o_proj","gate_proj","up_proj","down_proj"]';
    const pricing =
      '"pricing":{"gpu_hour_usd":2.990000000001,"token_per_m_usd":2.500001,"auto_intervention":{"enabled":true,' +
      '"conditions":["spike","drop","kl_explode","len_surge","repeat_up"]}}';
    const quota = `"quota":{"total":${DEFAULT_QUOTA},"used":0},"balance":12.345678901234`;
    expect(text).toBe(`{"code":0,"data":{${lists},${quota},${pricing}},"message":""}`);
  });

  it('shows the current prices and balance', async () => {
    await publishTrainingPrice(database.pool, 7_000_000n);
    await database.pool.query(
      'UPDATE wallet.wallets SET balance_picos = balance_picos + 1 WHERE account_id = $1',
      [account.accountId],
    );
    const { balance, pricing } = exactData<{ balance: string; pricing: Pricing }>(
      await service.call('GET', CAPABILITIES, account.apiKey),
    );
    expect([balance, pricing.token_per_m_usd]).toEqual(['12.345678901235', '7']);
  });

  it('shows the quota of the caller only', async () => {
    const other = await insertAccount(database.pool);
    await database.pool.query('INSERT INTO training.quotas VALUES ($1, $2, $3)', [
      account.accountId,
      900,
      400,
    ]);
    const quotaOf = async ({ apiKey }: TestAccount) =>
      (await service.call('GET', CAPABILITIES, apiKey)).body.data.quota;
    expect(await quotaOf(account)).toEqual({ total: 900, used: 400 });
    expect(await quotaOf(other)).toEqual({ total: DEFAULT_QUOTA, used: 0 });
  });

  describe('to an API key with limits', () => {
    let rich: TestAccount;

    beforeAll(async () => {
      rich = await insertAccount(database.pool, { balancePicos: BALANCE_PICOS });
      await database.pool.query('INSERT INTO training.quotas VALUES ($1, 900, 400)', [rich.accountId]);
    });

    async function answerTo(limits: Parameters<typeof insertApiKey>[2], spentPicos = 0n) {
      const { apiKey, apiKeyId } = await insertApiKey(database.pool, rich.accountId, limits);
      await database.pool.query('UPDATE wallet.key_budgets SET spent_picos = $2 WHERE api_key_id = $1', [
        apiKeyId,
        spentPicos,
      ]);
      const { balance } = exactData<{ balance: string }>(await service.call('GET', CAPABILITIES, apiKey));
      const { quota } = (await service.call('GET', CAPABILITIES, apiKey)).body.data;
      return { balance, quota };
    }

    it('shows of the balance what the key can still spend', async () => {
      const limit = (spendLimitPicos: bigint) => ({ spendLimitPicos });
      expect((await answerTo(limit(5n), 2n)).balance).toBe('0.000000000003');
      expect((await answerTo(limit(5n), 5n)).balance).toBe('0');
      // Its limit was lowered below what it had spent.
      expect((await answerTo(limit(5n), 7n)).balance).toBe('0');
      expect((await answerTo(limit(10n * BALANCE_PICOS))).balance).toBe('12.345678901234');
      expect((await answerTo({ allowedModels: ['one'] }, 2n)).balance).toBe('12.345678901234');
      expect((await answerTo({}, 2n)).balance).toBe('12.345678901234');
    });

    it('shows of the quota what is left, and not what the account has used', async () => {
      for (const limits of [{ spendLimitPicos: 5n }, { allowedModels: [] }])
        expect((await answerTo(limits)).quota).toEqual({ total: 500, used: 0 });
      expect((await answerTo({})).quota).toEqual({ total: 900, used: 400 });
      await database.pool.query('UPDATE training.quotas SET total_tokens = 300 WHERE account_id = $1', [
        rich.accountId,
      ]);
      expect((await answerTo({ spendLimitPicos: 5n })).quota).toEqual({ total: 0, used: 0 });
    });
  });

  it('responds 503 in the envelope while the database is unavailable', async () => {
    const away = await startTraining({ DATABASE_URL: 'postgres://u:p@127.0.0.1:1/none' });
    const { status, headers, body } = await away.call('GET', CAPABILITIES, account.apiKey);
    expect([status, body]).toEqual([503, { code: 50300, data: {}, message: 'database unavailable' }]);
    expect(headers.get('retry-after')).toBe('1');
    await away.app.close();
  });
});

describe('at the China site', () => {
  let database: TestDatabase;
  let service: RunningTraining;
  let account: TestAccount;

  beforeAll(async () => {
    database = await createTestDatabase(ENTITIES);
    account = await insertAccount(database.pool, { balancePicos: BALANCE_PICOS, currency: 'CNY' });
    service = await startTraining({
      SITE: 'cn',
      DATABASE_URL: database.urlFor('training'),
      TRAINING_AUTO_INTERVENTION: 'false',
      TRAINING_INTERVENTION_CONDITIONS: 'spike',
    });
    await publishTrainingPrice(database.pool, TOKEN_PICOS, GPU_HOUR_PICOS);
  });
  afterAll(async () => {
    await service.app.close();
    await database.drop();
  });

  const storeRate = (daysAgo: number, rate: string) =>
    database.pool.query(
      `INSERT INTO pricing.exchange_rates VALUES ((now() AT TIME ZONE 'UTC')::date - $1::int, $2)`,
      [daysAgo, rate],
    );

  it('has no price in USD before a rate is stored', async () => {
    await storeRate(-1, '0.5');
    const { status, body } = await service.call('GET', CAPABILITIES, account.apiKey);
    const message = 'no exchange rate to USD is stored';
    expect([status, body]).toEqual([503, { code: 50303, data: {}, message }]);
  });

  it('converts prices to USD exactly, by the newest rate up to today', async () => {
    await storeRate(9, '0.2');
    await storeRate(2, '0.1412345678');
    // 2.990000000001 × 0.1412345678 and 2.500001 × 0.1412345678.
    expect(await pricingOf(service, account)).toMatchObject({
      gpu_hour_usd: '0.4222913577221412345678',
      token_per_m_usd: '0.3530865607345678',
    });
    await storeRate(0, '0.14');
    expect(await pricingOf(service, account)).toMatchObject({ token_per_m_usd: '0.35000014' });
  });

  it('shows the balance in yuan and the configured capabilities', async () => {
    const reply = await service.call('GET', CAPABILITIES, account.apiKey);
    expect(exactData<{ balance: string }>(reply).balance).toBe('12.345678901234');
    expect(reply.body.data.pricing).toMatchObject({
      auto_intervention: { enabled: false, conditions: ['spike'] },
    });
  });
});
