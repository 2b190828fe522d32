import { type TestAccount } from '@inference/testing';
import OpenAI from 'openai';
import { RATES, TestSite } from '../testing/gateway.fixture';

/** Models that are offered: those that have a price and that a configured upstream serves. */

const OFFERED = ['sandbox-chat', 'sandbox-mini', 'acme/house-model'];
const NOT_SERVED = ['nowhere/served', 'sandbox-chat+tokens=5'];
const PRICED = [...OFFERED, ...NOT_SERVED, 'training'];
const MESSAGES = [{ role: 'user' as const, content: 'Say something about the sea.' }];
const MODEL_NOT_FOUND = { status: 404, code: 'model_not_found' };

let site: TestSite;
/** Its upstream has no list of models, so it serves all. */
let openSite: TestSite;
let account: TestAccount;
let client: OpenAI;

const pricesOf = (slugs: string[]) => Object.fromEntries(slugs.map((slug) => [slug, RATES]));
const clientOf = (of: TestSite, { apiKey }: TestAccount) =>
  new OpenAI({ apiKey, baseURL: `${of.gateway.url}/v1`, maxRetries: 0 });
const listed = async (by: OpenAI) => (await by.models.list()).data.map(({ id }) => id).sort();

beforeAll(async () => {
  site = await TestSite.start(pricesOf(PRICED), {}, (engine) => [
    // The training price is not a model, although an upstream serves its name.
    {
      name: 'engine',
      base_url: engine,
      models: ['sandbox-chat', 'sandbox-mini', 'training', 'without-price'],
    },
    { name: 'house', base_url: engine, models: { 'acme/house-model': 'sandbox-chat+tokens=5' } },
  ]);
  openSite = await TestSite.start(pricesOf(PRICED));
  account = await site.account();
  client = clientOf(site, account);
});
afterAll(async () => {
  await site.stop();
  await openSite.stop();
});

test('GET /v1/models lists the models that have a price and an upstream', async () => {
  expect(await listed(client)).toEqual([...OFFERED].sort());
  for (const model of (await client.models.list()).data) {
    expect(model).toEqual({
      id: model.id,
      object: 'model',
      created: expect.any(Number),
      owned_by: 'inference-platform',
      name: null,
      context_length: null,
      max_output_tokens: null,
      input_modalities: ['text'],
      output_modalities: ['text'],
      pricing: {
        currency: 'USD',
        prompt: '0.00000015',
        completion: '0.0000006',
        prices: [
          { unit: 'per_million_input_tokens', price: '0.15' },
          { unit: 'per_million_output_tokens', price: '0.6' },
        ],
      },
      supported_parameters: expect.arrayContaining(['max_tokens', 'stream']),
    });
  }
});

test('an upstream without a list of models serves every model that has a price', async () => {
  const openClient = clientOf(openSite, await openSite.account());
  expect(await listed(openClient)).toEqual([...OFFERED, ...NOT_SERVED].sort());
});

test.each([...NOT_SERVED, 'training', 'without-price'])('%s is neither found nor called', async (model) => {
  await expect(client.models.retrieve(model)).rejects.toMatchObject(MODEL_NOT_FOUND);
  const calls = [
    () => client.chat.completions.create({ model, messages: MESSAGES }),
    () => client.chat.completions.create({ model, messages: MESSAGES, stream: true }),
    () => client.completions.create({ model, prompt: 'Say' }),
    () => client.embeddings.create({ model, input: 'Say' }),
  ];
  for (const call of calls)
    await expect(call()).rejects.toMatchObject({ ...MODEL_NOT_FOUND, param: 'model' });
});

test('GET /v1/models/:slug returns one model, also one with a slash', async () => {
  expect((await client.models.retrieve('sandbox-chat')).id).toBe('sandbox-chat');
  expect((await client.models.retrieve('acme/house-model')).id).toBe('acme/house-model');
  const plain = await fetch(`${site.gateway.url}/v1/models/acme/house-model`, {
    headers: { Authorization: `Bearer ${account.apiKey}` },
  });
  expect(await plain.json()).toMatchObject({ id: 'acme/house-model' });
});

test.each(['unknown', 'acme', '__proto__', '../models', 'a%00b'])(
  'GET /v1/models/%s is 404',
  async (slug) => {
    await expect(client.models.retrieve(slug)).rejects.toMatchObject(MODEL_NOT_FOUND);
  },
);
