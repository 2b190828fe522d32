import { TestMerchant } from './merchant.fixture';
import { post } from './deliveries';

describe('posting a notification', () => {
  let merchant: TestMerchant;
  const send = (url: string, timeoutMs?: number) =>
    post({ url, headers: { 'Content-Type': 'text/plain', 'X-Own': 'yes' }, body: 'héllo' }, timeoutMs);

  beforeEach(async () => (merchant = await TestMerchant.start()));
  afterEach(() => merchant.close());

  it('sends headers and body unchanged, and reads the response', async () => {
    expect(await send(`${merchant.url}/hook?a=1`)).toEqual({ status: 200, body: 'success', error: null });
    expect(merchant.received).toEqual([
      {
        path: '/hook?a=1',
        body: 'héllo',
        headers: expect.objectContaining({ 'content-type': 'text/plain', 'x-own': 'yes' }),
      },
    ]);
  });

  it('follows no redirect, and truncates a long response', async () => {
    merchant.statuses = [302];
    const { status, body } = await send(merchant.url);
    expect([status, body]).toEqual([302, 'x'.repeat(1_000)]);
    expect(merchant.received).toHaveLength(1);
  });

  it('reports why there is no response', async () => {
    merchant.silent = true;
    expect(await send(merchant.url, 50)).toEqual({
      status: null,
      body: null,
      error: expect.stringMatching(/timeout/i),
    });
    await merchant.close();
    const refused = { status: null, body: null, error: expect.stringContaining('ECONNREFUSED') };
    expect(await send(merchant.url)).toEqual(refused);
    expect(await send('weixin://nowhere')).toMatchObject({ status: null, error: expect.any(String) });
    expect(await send('no address')).toMatchObject({ status: null, error: expect.any(String) });
  });
});
