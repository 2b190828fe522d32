import fc from 'fast-check';
import { newId } from '@inference/database';
import {
  charge,
  countsOf,
  PRICE_UNITS,
  type PriceUnit,
  RATE_DIGITS,
  reconcile,
  UNIT_DIGITS,
} from '@inference/metering';
import {
  decimalToPicos,
  decimalToScaled,
  type ExactNumber,
  parseExact,
  PICO_DIGITS,
  scaledToDecimal,
  stringifyExact,
} from '@inference/money';
import { insertAccount, publishPrices, publishTrainingPrice, type TestPrice } from '@inference/testing';
import { settleRequest, TestSite } from '../../testing/console.fixture';

const BALANCE_PICOS = 10n ** 30n;

interface Detail {
  model: string;
  cost: ExactNumber;
  cost_usd: ExactNumber;
  usd_per_unit: ExactNumber;
  currency: string;
  entrypoint: string;
  api_key: null;
  lines: { unit: PriceUnit; quantity: ExactNumber; price: ExactNumber; amount: ExactNumber }[];
}

const line = (
  meter: string,
  unit: string,
  conditions: object | null,
  quantity: number,
  price: number,
  amount: number,
) => ({ meter, unit, conditions, quantity, price, amount });

const picosOf = (amount: ExactNumber) => decimalToPicos(String(amount));
const rates = fc
  .uniqueArray(fc.constantFrom(...PRICE_UNITS), { minLength: 1 })
  .chain((units) =>
    fc.tuple(
      ...units.map((unit) => fc.record({ unit: fc.constant(unit), ratePicos: fc.bigInt(0n, 10n ** 15n) })),
    ),
  );
const tokens = fc.integer({ min: 0, max: 10_000_000 });
const usage = fc.record({ inputTokens: tokens, outputTokens: tokens });
const usdPerUnit = fc.bigInt(1n, 10n ** 11n);

describe('the cost of a call on the China site', () => {
  let site: TestSite;
  let accountId: string;
  let token: string;

  beforeAll(async () => {
    site = await TestSite.start({ SITE: 'cn' });
    ({ accountId } = await insertAccount(site.database.pool, {
      balancePicos: BALANCE_PICOS,
      currency: 'CNY',
    }));
    token = await site.console.openSession(accountId);
  });
  afterAll(() => site.stop());

  const find = async (id: string) => {
    const { status, text } = await site.console.request('GET', `/api/billing/requests/${id}`, { token });
    expect(status).toBe(200);
    return parseExact(text) as Detail;
  };

  it('is the sum of its lines, each quantity × price, and in USD at the rate of its day', async () => {
    await fc.assert(
      fc.asyncProperty(rates, usage, usdPerUnit, async (rated, used, rate) => {
        const prices = rated.map((one) => ({ slug: 'chat', ...one }));
        const priceListId = await publishPrices(site.database.pool, prices);
        const requestId = newId('req');
        const request = {
          model: 'chat',
          rates: rated,
          usage: used,
          usdPerUnit: rate,
          priceListId,
          requestId,
        };
        const cost = await settleRequest(site.database.pool, accountId, request);
        const detail = await find(requestId);
        expect(detail.currency).toBe('CNY');
        expect(picosOf(detail.cost)).toBe(cost);
        expect(detail.lines.reduce((sum, { amount }) => sum + picosOf(amount), 0n)).toBe(cost);
        for (const { unit, quantity, price, amount } of detail.lines) {
          const counted = decimalToScaled(String(quantity), UNIT_DIGITS[unit]);
          const ratePicos = decimalToScaled(String(price), PICO_DIGITS - UNIT_DIGITS[unit]);
          expect(counted * ratePicos).toBe(picosOf(amount));
        }
        expect(picosOf(detail.cost_usd)).toBe(charge(rated, countsOf(used), rate).costUsdPicos);
        expect(String(detail.usd_per_unit)).toBe(scaledToDecimal(rate, RATE_DIGITS));
      }),
      { numRuns: 40 },
    );
  });

  it('is explained by its price list for a call of an earlier version, or else by what was charged', async () => {
    const rated = { unit: 'per_million_tokens', ratePicos: 7n } as const;
    const priceListId = await publishPrices(site.database.pool, [{ slug: 'other', ...rated }]);
    for (const inputTokens of [0, 3]) {
      const requestId = newId('req');
      const request = {
        model: 'gone',
        rates: [rated],
        usage: { inputTokens, outputTokens: 0 },
        priceListId,
        requestId,
      };
      await settleRequest(site.database.pool, accountId, request);
      const priceShown = async () => String((await find(requestId)).lines[0]!.price);
      expect(await priceShown()).toBe('0.000007');
      await site.database.pool.query(
        `UPDATE metering.usage_events SET lines = (
           SELECT jsonb_agg(l - ARRAY['meter', 'rate_picos', 'conditions', 'price']) FROM jsonb_array_elements(lines) l)
         WHERE request_id = $1`,
        [requestId],
      );
      expect(await priceShown()).toBe(inputTokens === 0 ? '0' : '0.000007');
    }
  });

  it('is explained by meter, price and the conditions that held', async () => {
    const conditions = { minInputTokens: 1_000, serviceTier: 'flex', hours: '16:30-00:30' } as const;
    const prices: TestPrice[] = [
      { slug: 'chat', unit: 'per_million_input_tokens', ratePicos: 2_000_000n },
      { slug: 'chat', unit: 'per_million_input_tokens', ratePicos: 3_000_000n, ...conditions },
      { slug: 'chat', unit: 'per_million_output_tokens', ratePicos: 5_000_000n },
      { slug: 'chat', unit: 'per_audio_minute', ratePicos: 100n },
    ];
    const priceListId = await publishPrices(site.database.pool, prices);
    const requestId = newId('req');
    const counts = { input: 400, cached_input: 600, reasoning: 7, audio_second: 61 };
    const cost = await settleRequest(site.database.pool, accountId, {
      model: 'chat',
      rates: prices.map((price, index) => ({ ...price, position: index + 1 })),
      usage: { counts, serviceTier: 'flex' },
      priceListId,
      requestId,
    });
    const held = { min_input_tokens: 1_000, service_tier: 'flex', hours: '16:30-00:30' };
    const { lines, ...call } = JSON.parse(stringifyExact(await find(requestId))) as { lines: object[] };
    expect(cost).toBe(3_035_000_102n);
    expect(call).toMatchObject({ input_tokens: 1_000, output_tokens: 7, cost: 0.003035000102 });
    expect(lines).toEqual([
      line('input', 'per_million_input_tokens', held, 0.0004, 3, 0.0012),
      line('cached_input', 'per_million_input_tokens', held, 0.0006, 3, 0.0018),
      line('reasoning', 'per_million_output_tokens', null, 0.000007, 5, 0.000035),
      line('audio_second', 'per_audio_minute', null, 1.016666666667, 0.0000000001, 0.000000000102),
    ]);
    const differences = await reconcile(site.database.pool);
    expect(differences.filter(({ row }) => row.request_id === requestId)).toEqual([]);
  });

  it('is explained for usage that a trainer reported', async () => {
    await site.database.pool.query(
      "INSERT INTO pricing.exchange_rates (day, usd_per_unit) VALUES ((now() AT TIME ZONE 'UTC')::date, 0.14)",
    );
    await publishTrainingPrice(site.database.pool, 3_000_000n);
    const id = newId('trn');
    await site.database.pool.query(
      "SELECT training.record_usage($1, $2, 'base', 1500, $3, 'training', 100000)",
      [newId('rec'), accountId, id],
    );
    const detail = await find(id);
    expect(detail).toMatchObject({ model: 'training', entrypoint: 'training', api_key: null });
    expect([detail.cost, detail.cost_usd, detail.usd_per_unit].map(String)).toEqual([
      '0.0045',
      '0.00063',
      '0.14',
    ]);
    expect(detail.lines.map(({ unit, ...figures }) => [unit, ...Object.values(figures).map(String)])).toEqual(
      [['per_million_tokens', 'null', 'null', '0.0015', '3', '0.0045']],
    );
  });
});
