import { randomBytes } from 'node:crypto';
import { picosToDecimal } from '@inference/money';
import {
  credentialRows,
  documentedPath,
  insertApiKey,
  findResponse,
  readApiDocument,
  rememberSecret,
  type TestAccount,
  waitFor,
} from '@inference/testing';
import OpenAI from 'openai';
import { costOf, eventsOf, RATES, TestSite } from '../../testing/gateway.fixture';

/** Requests of the platform's own services on behalf of an account, which is charged. */

const newSecret = () => randomBytes(32).toString('hex');
const [OLD, NEW, MEMO, WRONG] = [newSecret(), newSecret(), newSecret(), newSecret()];
const [CONSOLE, NEXT_CONSOLE] = [newSecret(), newSecret()];
rememberSecret(WRONG);

const BODY = {
  model: 'sandbox-chat',
  messages: [{ role: 'user' as const, content: 'Say something about the sea.' }],
  max_tokens: 8,
};
const COST = costOf(RATES, 9, 8);
const BOUND = costOf(RATES, Buffer.byteLength(JSON.stringify(BODY)), 8);
/** Below the three seconds after which a cached key expires, so only a notification can have evicted it. */
const WELL_BELOW_KEY_MILLIS = 2_500;

const closed = credentialRows('gateway')
  .filter(({ statuses }) => statuses.none === 401)
  .map(({ method, path }) => [method, path] as const);

let site: TestSite;
let of: TestAccount;

beforeAll(async () => {
  site = await TestSite.start(
    { 'sandbox-chat': RATES, 'sandbox-mini': RATES },
    {
      AGENT_CREDENTIALS: `${NEW}, ${OLD}`,
      MEMO_CREDENTIALS: MEMO,
      CONSOLE_CREDENTIALS: `${CONSOLE},${NEXT_CONSOLE}`,
    },
  );
});
beforeEach(async () => {
  of = await site.account();
});
afterAll(() => site.stop());

const onBehalf = (
  { accountId, apiKeyId }: Pick<TestAccount, 'accountId' | 'apiKeyId'>,
  secret = NEW,
  headers: Record<string, string> = {},
) =>
  new OpenAI({
    apiKey: secret,
    baseURL: `${site.gateway.url}/v1`,
    maxRetries: 0,
    defaultHeaders: { 'X-On-Behalf-Of': accountId, 'X-On-Behalf-Of-Key': apiKeyId, ...headers },
  });

/** Returns status and code of the error that the SDK throws. */
async function refusal(request: Promise<unknown>) {
  const error: unknown = await request.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(OpenAI.APIError);
  const { status, code } = error as InstanceType<typeof OpenAI.APIError>;
  return { status, code };
}

async function ask(method: string, path: string, secret: string, headers: Record<string, string>) {
  const response = await fetch(site.gateway.url + path.replace('*slug', 'sandbox-chat'), {
    method,
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${secret}`, ...headers },
    ...(method === 'POST' && { body: '{}' }),
  });
  const text = await response.text();
  const { error } = JSON.parse(text) as { error?: { code: string; type: string; param: null } };
  return {
    status: response.status,
    code: error?.code,
    text,
    challenge: response.headers.get('www-authenticate'),
  };
}

describe.each(closed)('%s %s', (method, path) => {
  it('accepts each credential of a service with the account in the header', async () => {
    const named = { 'X-On-Behalf-Of': of.accountId, 'X-On-Behalf-Of-Key': of.apiKeyId };
    for (const secret of [OLD, NEW, MEMO, CONSOLE, NEXT_CONSOLE]) {
      const { status } = await ask(method, path, secret, named);
      // Forms are refused by the type of the body, and no response has the name of the parameter as its id.
      const usual = method === 'POST' ? [400, 415] : [200];
      expect(path.includes('/:') ? [404] : usual).toContain(status);
    }
    expect((await ask(method, path, NEW, { 'X-On-Behalf-Of': of.accountId })).status).not.toBe(401);
  });

  it('refuses other credentials and accounts with specific codes', async () => {
    const named = { 'X-On-Behalf-Of': of.accountId, 'X-On-Behalf-Of-Key': of.apiKeyId };
    const other = await site.account();
    const cases: [string, Record<string, string>, number, string][] = [
      [WRONG, named, 401, 'invalid_api_key'],
      [`${NEW},${OLD}`, named, 401, 'invalid_api_key'],
      [NEW, {}, 400, 'on_behalf_missing'],
      [NEW, { 'X-On-Behalf-Of-Key': of.apiKeyId }, 400, 'on_behalf_missing'],
      [NEW, { 'X-On-Behalf-Of': 'acct_unknown' }, 401, 'on_behalf_unknown'],
      [NEW, { ...named, 'X-On-Behalf-Of-Key': other.apiKeyId }, 401, 'on_behalf_unknown'],
      [NEW, { ...named, 'X-On-Behalf-Of-Key': '' }, 401, 'on_behalf_unknown'],
      [other.apiKey, named, 403, 'on_behalf_forbidden'],
    ];
    const operation = { path: documentedPath(path), verb: method.toLowerCase() };
    for (const [secret, headers, status, code] of cases) {
      if (code.startsWith('on_behalf_'))
        expect(
          findResponse(readApiDocument('gateway'), { ...operation, status })?.response.description,
        ).toContain(code);
      const answer = await ask(method, path, secret, headers);
      expect([headers, answer]).toMatchObject([headers, { status, code }]);
      expect(answer.challenge).toBe(status === 401 ? 'Bearer' : null);
      expect(answer.text).not.toContain(secret);
    }
  });
});

describe('a request on behalf of an account', () => {
  it.each([
    ['agent', OLD, undefined],
    ['agent', NEW, 'agent'],
    ['memo', MEMO, undefined],
    ['memo', MEMO, 'memo'],
    ['console', CONSOLE, undefined],
    ['console', NEXT_CONSOLE, 'console'],
  ])('is billed to it and its key, with the entrypoint %s', async (entrypoint, secret, named) => {
    const client = onBehalf(of, secret, named === undefined ? {} : { 'X-Entrypoint': named });
    expect((await client.chat.completions.create(BODY)).usage!.completion_tokens).toBe(8);
    expect(await site.onlyEvent(of)).toMatchObject({ api_key_id: of.apiKeyId, entrypoint, cost_picos: COST });
    const { rows } = await site.pool.query(
      'SELECT DISTINCT entrypoint FROM metering.hourly_usage WHERE account_id = $1',
      [of.accountId],
    );
    expect(rows).toEqual([{ entrypoint }]);
    await site.expectCharged(of, COST);
  });

  it('streams', async () => {
    const stream = await onBehalf(of).chat.completions.create({
      ...BODY,
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = '';
    let usage: OpenAI.CompletionUsage | null | undefined;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? '';
      usage = chunk.usage;
    }
    expect(text).not.toBe('');
    expect(usage).toMatchObject({ completion_tokens: 8, cost: Number(picosToDecimal(COST)) });
    expect(await site.onlyEvent(of)).toMatchObject({ entrypoint: 'agent', api_key_id: of.apiKeyId });
    await site.expectCharged(of, COST);
  });

  it('a request without a key is charged to the account only', async () => {
    const named = { 'X-On-Behalf-Of': of.accountId };
    const client = new OpenAI({
      apiKey: NEW,
      baseURL: `${site.gateway.url}/v1`,
      maxRetries: 0,
      defaultHeaders: named,
    });
    await client.chat.completions.create(BODY);
    expect(await site.onlyEvent(of)).toMatchObject({ api_key_id: null, entrypoint: 'agent' });
    await site.expectCharged(of, COST);
  });

  it('respects the wallet and the limit of the key', async () => {
    const poor = await site.account(BOUND - 1n);
    expect(await refusal(onBehalf(poor).chat.completions.create(BODY))).toEqual({
      status: 402,
      code: 'insufficient_balance',
    });
    const limited = await insertApiKey(site.pool, of.accountId, { spendLimitPicos: BOUND });
    const client = onBehalf({ ...of, ...limited });
    await client.chat.completions.create(BODY);
    const reached = { status: 402, code: 'key_spend_limit_reached' };
    expect(await refusal(client.chat.completions.create(BODY))).toEqual(reached);
    // The service and the customer share the budget of the key.
    const own = new OpenAI({ apiKey: limited.apiKey, baseURL: `${site.gateway.url}/v1`, maxRetries: 0 });
    expect(await refusal(own.chat.completions.create(BODY))).toEqual(reached);
    await site.expectCharged(of, COST);
  });

  it('respects the allowed models of the key', async () => {
    const client = onBehalf({
      ...of,
      ...(await insertApiKey(site.pool, of.accountId, { allowedModels: ['sandbox-mini'] })),
    });
    expect(await refusal(client.chat.completions.create(BODY))).toEqual({
      status: 403,
      code: 'model_not_allowed',
    });
    expect((await client.models.list()).data.map(({ id }) => id)).toEqual(['sandbox-mini']);
    await client.chat.completions.create({ ...BODY, model: 'sandbox-mini' });
    expect(await site.onlyEvent(of)).toMatchObject({ model: 'sandbox-mini', entrypoint: 'agent' });
  });

  it('is refused after the key is deleted, before its cache entry expires', async () => {
    const client = onBehalf(of);
    await client.models.list();
    await site.pool.query('UPDATE accounts.api_keys SET key_hash = NULL, deleted_at = now() WHERE id = $1', [
      of.apiKeyId,
    ]);
    const refused = await waitFor(
      () =>
        client.models.list().then(
          () => null,
          (error: InstanceType<typeof OpenAI.APIError>) => error,
        ),
      WELL_BELOW_KEY_MILLIS,
    );
    expect(refused).toMatchObject({ status: 401, code: 'on_behalf_unknown' });
    expect(await refusal(client.chat.completions.create(BODY))).toMatchObject({ code: 'on_behalf_unknown' });
    await site.expectCharged(of, 0n);
  });

  it.each([
    ['memo', NEW, 403, 'reserved_entrypoint'],
    ['agent', MEMO, 403, 'reserved_entrypoint'],
    ['gateway', NEW, 403, 'reserved_entrypoint'],
    ['ci', MEMO, 403, 'reserved_entrypoint'],
    ['console', NEW, 403, 'reserved_entrypoint'],
    ['agent', CONSOLE, 403, 'reserved_entrypoint'],
    ['A', NEW, 400, 'invalid_header'],
  ])('is refused with an entrypoint of another service: %s', async (entrypoint, secret, status, code) => {
    const client = onBehalf(of, secret, { 'X-Entrypoint': entrypoint });
    expect(await refusal(client.chat.completions.create(BODY))).toEqual({ status, code });
    await site.expectCharged(of, 0n);
  });
});

describe('a customer', () => {
  it('cannot spend the money of another account or use the entrypoint of a service', async () => {
    const thief = await site.account();
    const client = (headers: Record<string, string>) => onBehalf(of, thief.apiKey, headers);
    const attempts: Record<string, string>[] = [{}, { 'X-Entrypoint': 'agent' }];
    for (const headers of attempts) {
      const refused = await refusal(client(headers).chat.completions.create(BODY));
      expect(refused).toEqual({ status: 403, code: 'on_behalf_forbidden' });
    }
    for (const account of [of, thief]) {
      expect(await eventsOf(site.pool, account.accountId)).toEqual([]);
      await site.expectCharged(account, 0n);
    }
  });
});
