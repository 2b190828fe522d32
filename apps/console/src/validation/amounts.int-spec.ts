import { getMetadataStorage } from 'class-validator';
import { type ValidationMetadata } from 'class-validator/types/metadata/ValidationMetadata';
import { PaymentSite } from '../billing/payments/payments.fixture';
import { type SignedIn } from '../testing/console.fixture';

/** One rule for all amounts: a JSON number, or a text where an amount may have more digits than a JSON number keeps. */

interface AmountRow {
  /** Class and property. */
  field: string;
  method: string;
  path: string;
  body: (amount: unknown, accountId: string) => object;
  takesText: boolean;
  decimals: number;
  nullable?: boolean;
}

const MODEL = { slug: 'm', unit: 'per_million_tokens' };
const REQUEST = { slug: 'r', unit: 'per_request' };
const PRICES = '/api/admin/billing/pricing';

const AMOUNTS: AmountRow[] = [
  {
    field: 'CreatePaymentDto.amount',
    method: 'POST',
    path: '/api/billing/payments',
    body: (amount) => ({ provider: 'wallet_pay_provider', amount }),
    takesText: false,
    decimals: 2,
  },
  {
    field: 'CreateRefundDto.amount',
    method: 'POST',
    // Bodies are judged first; an amount that is accepted is answered with 404.
    path: '/api/admin/billing/payments/pay_0/refund',
    body: (amount) => ({ amount }),
    takesText: false,
    decimals: 2,
  },
  {
    field: 'CreateAdjustmentDto.amount',
    method: 'POST',
    path: '/api/admin/billing/adjustments',
    body: (amount, account_id) => ({ account_id, amount, description: 'Credit' }),
    takesText: true,
    decimals: 12,
  },
  {
    field: 'UpdateBillingSettingsDto.low_balance_threshold',
    method: 'PATCH',
    path: '/api/billing/settings',
    body: (amount) => ({ low_balance_threshold: amount }),
    takesText: true,
    decimals: 12,
    nullable: true,
  },
  {
    field: 'CreateApiKeyDto.spend_limit',
    method: 'POST',
    path: '/api/api-keys',
    body: (amount) => ({ name: 'a', spend_limit: amount }),
    takesText: true,
    decimals: 12,
    nullable: true,
  },
  {
    field: 'UpdateApiKeyDto.spend_limit',
    method: 'PATCH',
    // As for the refund.
    path: '/api/api-keys/key_0',
    body: (amount) => ({ spend_limit: amount }),
    takesText: true,
    decimals: 12,
    nullable: true,
  },
  {
    field: 'ExchangeRateDto.usd_per_unit',
    method: 'PUT',
    path: '/api/admin/billing/exchange-rates',
    body: (amount) => ({ rates: [{ date: '2026-01-31', usd_per_unit: amount }] }),
    takesText: true,
    decimals: 10,
  },
  ...[
    { unit: MODEL, takesText: false, decimals: 6 },
    { unit: REQUEST, takesText: true, decimals: 12 },
  ].flatMap(({ unit, ...rule }): AmountRow[] => [
    {
      field: 'ModelPriceDto.price',
      method: 'PUT',
      path: `${PRICES}/models`,
      body: (amount) => ({ models: [{ ...unit, price: amount }] }),
      ...rule,
    },
    {
      field: 'ModelPriceChangeDto.price',
      method: 'PATCH',
      path: `${PRICES}/models`,
      body: (amount) => ({ models: [{ ...unit, price: amount }] }),
      nullable: true,
      ...rule,
    },
    {
      field: 'CostPriceDto.price',
      method: 'PUT',
      // As for the refund.
      path: '/api/admin/upstreams/ups_0/cost-prices',
      body: (amount) => ({ cost_prices: [{ model: 'm', unit: unit.unit, price: amount }] }),
      ...rule,
    },
  ]),
  {
    field: 'GpuPriceDto.hourly_price',
    method: 'PUT',
    path: `${PRICES}/gpus`,
    body: (amount) => ({ gpus: [{ name: 'g', hourly_price: amount }] }),
    takesText: true,
    decimals: 12,
  },
  {
    field: 'GpuPriceChangeDto.hourly_price',
    method: 'PATCH',
    path: `${PRICES}/gpus`,
    body: (amount) => ({ gpus: [{ name: 'g', hourly_price: amount }] }),
    takesText: true,
    decimals: 12,
    nullable: true,
  },
  {
    field: 'PublishTrainingPriceDto.token_per_m',
    method: 'PUT',
    path: `${PRICES}/training`,
    body: (amount) => ({ token_per_m: amount, gpu_hour: 1 }),
    takesText: false,
    decimals: 6,
  },
  {
    field: 'PublishTrainingPriceDto.gpu_hour',
    method: 'PUT',
    path: `${PRICES}/training`,
    body: (amount) => ({ token_per_m: 1, gpu_hour: amount }),
    takesText: true,
    decimals: 12,
  },
];

const NO_AMOUNTS = ['', ' 20', '20 ', '20,5', '+20', '0x14', 'NaN', 'Infinity', 'twenty', true, [20], {}];

describe('amounts in the bodies of the console', () => {
  let payments: PaymentSite;
  let admin: SignedIn;

  beforeAll(async () => {
    payments = await PaymentSite.start('cn');
    admin = await payments.site.signedIn('admin');
  });
  afterAll(() => payments.stop());

  const statusOf = async ({ method, path, body }: AmountRow, amount: unknown) => {
    const json = body(amount, admin.accountId);
    return (await payments.site.console.request(method, path, { token: admin.token, json })).status;
  };
  const isRefused = async (row: AmountRow, amount: unknown) => (await statusOf(row, amount)) === 400;

  it('are all in this table', () => {
    const storage = getMetadataStorage() as unknown as {
      validationMetadatas: Map<unknown, ValidationMetadata[]>;
    };
    const found = [...storage.validationMetadatas.values()]
      .flat()
      .filter(({ name }) => name === 'isAmount')
      .map(({ target, propertyName }) => `${(target as { name: string }).name}.${propertyName}`);
    expect(new Set(AMOUNTS.map(({ field }) => field))).toEqual(new Set(found));
  });

  it.each(AMOUNTS)('$field by $method $path: as a text $takesText, with $decimals decimals', async (row) => {
    expect(await isRefused(row, 20)).toBe(false);
    expect(await isRefused(row, '20')).toBe(!row.takesText);
    const least = `0.${'0'.repeat(row.decimals - 1)}1`;
    if (row.takesText) expect(await isRefused(row, `20${least.slice(1)}`)).toBe(false);
    expect(await isRefused(row, Number(`${least}1`))).toBe(true);
    expect(await isRefused(row, null)).toBe(row.nullable !== true);
    for (const value of NO_AMOUNTS) expect([value, await isRefused(row, value)]).toEqual([value, true]);
  });
});
