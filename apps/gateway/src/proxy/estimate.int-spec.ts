import { decimalToPicos } from '@inference/money';
import { insertApiKey } from '@inference/testing';
import { costOf, RATES, TestSite } from '../testing/gateway.fixture';

/** The largest cost of a request, before it is made. */

const BODY = {
  model: 'sandbox-chat',
  messages: [{ role: 'user', content: 'Say something about the sea.' }],
  max_tokens: 8,
};
const BOUND = costOf(RATES, Buffer.byteLength(JSON.stringify(BODY)), 8);

let site: TestSite;

beforeAll(async () => {
  site = await TestSite.start({ 'sandbox-chat': RATES, 'sandbox-mini': RATES });
});
afterAll(() => site.stop());

describe('an estimate', () => {
  const PATH = '/v1/chat/completions/estimate';
  /** A chat request of an account with this balance. */
  const chat = async (balancePicos: bigint) =>
    site.post('/v1/chat/completions', (await site.account(balancePicos)).apiKey, BODY);
  const estimate = async (apiKey: string, body: unknown) => {
    const response = await site.post(PATH, apiKey, body);
    const text = await response.text();
    return { status: response.status, text, body: JSON.parse(text) as Record<string, unknown> };
  };

  it('is what the gateway reserves: a balance of it is enough, and one pico less is refused', async () => {
    const rich = await site.account();
    const { status, text, body } = await estimate(rich.apiKey, BODY);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      currency: 'USD',
      input_tokens: Buffer.byteLength(JSON.stringify(BODY)),
      max_tokens: 8,
    });
    const worstCase = /"worst_case":([\d.]+)/.exec(text)![1]!;
    expect(decimalToPicos(worstCase)).toBe(BOUND);
    expect((await chat(BOUND - 1n)).status).toBe(402);
    expect((await chat(BOUND)).status).toBe(200);
    await site.expectCharged(rich, 0n);
  });

  it('has no limit that nobody names, or the one that the money demands, for each answer', async () => {
    const unlimited = { model: 'sandbox-chat', messages: BODY.messages, n: 3 };
    const rich = await site.account();
    expect((await estimate(rich.apiKey, unlimited)).body).toMatchObject({
      max_tokens: 3 * 131_072,
      output_limit: null,
    });
    const bytes = Buffer.byteLength(JSON.stringify(unlimited));
    const short = await site.account(4n * costOf(RATES, bytes, 3 * 5_000));
    const { body, text } = await estimate(short.apiKey, unlimited);
    expect(body).toMatchObject({ max_tokens: 3 * 5_000, output_limit: 5_000 });
    expect(decimalToPicos(/"worst_case":([\d.]+)/.exec(text)![1]!)).toBe(costOf(RATES, bytes, 3 * 5_000));
  });

  it('is refused as the request would be, but not for lack of money', async () => {
    const poor = await site.account(0n);
    expect(await estimate(poor.apiKey, BODY)).toMatchObject({ status: 200 });
    expect(await estimate(poor.apiKey, { ...BODY, model: 'none' })).toMatchObject({ status: 404 });
    expect(await estimate(poor.apiKey, { ...BODY, max_tokens: 0 })).toMatchObject({ status: 400 });
    expect(await estimate(poor.apiKey, '[')).toMatchObject({ status: 400 });
    const { apiKey } = await insertApiKey(site.pool, poor.accountId, { allowedModels: ['sandbox-mini'] });
    expect(await estimate(apiKey, BODY)).toMatchObject({ status: 403 });
  });
});
