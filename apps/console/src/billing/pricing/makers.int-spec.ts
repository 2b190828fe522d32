import { type Database, newId, type NotificationChannel } from '@inference/database';
import { inputTokensOf, outputTokensOf, PriceBook, reconcile, worstCasePicos } from '@inference/metering';
import { decimalToPicos, type ExactNumber, parseExact } from '@inference/money';
import { insertAccount } from '@inference/testing';
import { settleRequest, TestSite } from '../../testing/console.fixture';
import { MAKERS_MODELS } from './makers.fixture';

const CHANNEL = { on: () => undefined, onReconnect: () => undefined } as unknown as NotificationChannel;
/** After the publication. */
const DAY = '2100-01-02';

let site: TestSite;
let accountId: string;
let token: string;
let book: PriceBook;

beforeAll(async () => {
  site = await TestSite.start();
  const admin = await site.signedIn('admin');
  ({ accountId } = await insertAccount(site.database.pool, { balancePicos: 10n ** 14n }));
  token = await site.console.openSession(accountId);
  const models = MAKERS_MODELS.flatMap(({ slug, prices }) =>
    prices.map(([unit, price, conditions]) => ({ slug, unit, price, ...conditions })),
  );
  const path = '/api/admin/billing/pricing/models';
  const published = await site.console.request('PUT', path, { token: admin.token, json: { models } });
  expect([published.status, published.body]).toMatchObject([200, { models }]);
  book = new PriceBook(site.database.pool as unknown as Database, 'intl', CHANNEL, 'training');
});
afterAll(() => site.stop());

/** What the gateway decides for a call that begins at this time. */
async function decideAt(time: string) {
  const now = jest.spyOn(Date, 'now').mockReturnValue(Date.parse(`${DAY}T${time}Z`));
  try {
    return await book.decide();
  } finally {
    now.mockRestore();
  }
}

describe.each(MAKERS_MODELS)('the prices of $slug', ({ slug, calls }) => {
  it.each(calls)('charge $counts, $serviceTier, at $at, with $cost', async (call) => {
    const { counts, serviceTier = null, at = '12:00:00.000', cost } = call;
    const { prices } = await decideAt(at);
    const rates = prices.models.get(slug)!;
    const requestId = newId('req');
    const usage = { counts, serviceTier };
    const charged = await settleRequest(site.database.pool, accountId, {
      model: slug,
      rates,
      usage,
      priceListId: prices.priceListId,
      requestId,
    });
    expect(charged).toBe(decimalToPicos(cost));
    const held = worstCasePicos(rates, {
      inputTokens: inputTokensOf(counts),
      outputTokens: outputTokensOf(counts),
      counts,
    });
    expect(held).toBeGreaterThanOrEqual(charged);
    const { text } = await site.console.request('GET', `/api/billing/requests/${requestId}`, { token });
    const detail = parseExact(text) as { cost: ExactNumber; lines: { amount: ExactNumber }[] };
    expect(String(detail.cost)).toBe(cost);
    expect(detail.lines.reduce((sum, { amount }) => sum + decimalToPicos(String(amount)), 0n)).toBe(charged);
  });
});

it('leave books that agree', async () => {
  expect(await reconcile(site.database.pool)).toEqual([]);
});
