import { RATES, type ScriptedUpstream, startUpstream, TestSite } from '../testing/gateway.fixture';
import { events, json, type Script } from './tasks.fixture';

/** What tasks cost the operator that nobody is charged for. */

let upstream: ScriptedUpstream;
let site: TestSite;
let script: Script;

beforeAll(async () => {
  upstream = await startUpstream((request, response, body) => script(request, response, body));
  site = await TestSite.start({ image: RATES }, {}, () => [{ name: 'scripted', base_url: upstream.url }]);
});
afterAll(async () => {
  await site.stop();
  await upstream.close();
});

it('is what their server has reported, of a whole answer and of a stream', async () => {
  const account = await site.account();
  await site.publishCostPrices('scripted', [
    ['image', 'per_million_input_tokens', 3],
    ['image', 'per_million_output_tokens', 5],
  ]);
  const usage = { input_tokens: 9, output_tokens: 100, total_tokens: 109 };
  const draw = (stream: boolean) =>
    site.post('/v1/images/generations', account.apiKey, { model: 'image', prompt: 'x', stream });
  script = json({ created: 1, data: null, usage });
  expect((await draw(false)).status).toBe(502);
  const done = { type: 'image_generation.completed', b64_json: 'AQ==', usage };
  script = events(done, { type: 'error', error: { message: 'no' } });
  expect((await draw(true)).status).toBe(502);
  expect(await site.unchargedCosts(account, 2)).toEqual([527n, 527n]);
  await site.expectCharged(account, 0n);
});
