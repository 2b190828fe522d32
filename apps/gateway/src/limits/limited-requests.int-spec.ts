import Anthropic from '@anthropic-ai/sdk';
import { insertApiKey, type TestAccount, waitFor } from '@inference/testing';
import OpenAI, { toFile } from 'openai';
import { GrowingAudio, json, type Script, wav } from '../tasks/tasks.fixture';
import {
  type Gateway,
  RATES,
  type ScriptedUpstream,
  startGateway,
  startUpstream,
  testEnvironment,
  TestSite,
} from '../testing/gateway.fixture';

const MODEL = 'sandbox-chat';
const EMBEDDING_MODEL = 'sandbox-embed';
/** Of a server that answers as each test says. */
const SCRIPTED_MODEL = 'scripted';
const SPEECH_MODEL = 'speech';
const TRANSCRIPTION_MODEL = 'transcription';
const BEGUN = { choices: [{ index: 0, delta: { content: 'Hello' }, finish_reason: null }] };

describe('a request of a key with limits', () => {
  let site: TestSite;
  let scripted: ScriptedUpstream;
  let script: Script;
  let gateway: Gateway;
  let account: TestAccount;

  beforeAll(async () => {
    site = await TestSite.start({
      ...{ [MODEL]: RATES, [EMBEDDING_MODEL]: RATES, [SCRIPTED_MODEL]: RATES },
      [SPEECH_MODEL]: [{ unit: 'per_million_characters', ratePicos: 15n }],
      [TRANSCRIPTION_MODEL]: [{ unit: 'per_audio_minute', ratePicos: 600n }],
    });
    scripted = await startUpstream((request, response, body) => script(request, response, body));
    // A short minute, so that no test waits for a whole one.
    gateway = await startGateway(
      testEnvironment(site.database.urlFor('gateway'), [
        { name: 'engine', base_url: `${site.engine.url}/v1`, models: [MODEL, EMBEDDING_MODEL] },
        {
          ...{ name: 'scripted', base_url: scripted.url },
          models: [SCRIPTED_MODEL, SPEECH_MODEL, TRANSCRIPTION_MODEL],
        },
      ]),
      undefined,
      { windowSeconds: 2, sliceSeconds: 0.2, slotsTtlSeconds: 2 },
    );
  });
  beforeEach(async () => (account = await site.account()));
  afterAll(async () => {
    await gateway.close();
    await scripted.close();
    await site.stop();
  });

  async function keyWith(pace: { rpm?: number; tpm?: number; concurrency?: number }): Promise<string> {
    const { apiKeyId, apiKey } = await insertApiKey(site.pool, account.accountId);
    await site.pool.query(
      'UPDATE accounts.api_keys SET requests_per_minute = $2, tokens_per_minute = $3, max_concurrency = $4 WHERE id = $1',
      [apiKeyId, pace.rpm ?? null, pace.tpm ?? null, pace.concurrency ?? null],
    );
    return apiKey;
  }
  const post = (path: string, apiKey: string, body: object, init: RequestInit = {}) =>
    fetch(`${gateway.url}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${apiKey}` },
      body: JSON.stringify({ model: MODEL, max_tokens: 5, ...body }),
      ...init,
    });
  const MESSAGES = { messages: [{ role: 'user', content: 'Hello' }] };

  it.each([
    ['/v1/chat/completions', MESSAGES],
    ['/v1/completions', { prompt: 'Hello' }],
    ['/v1/messages', MESSAGES],
    ['/v1/responses', { input: 'Hello', max_tokens: undefined }],
    ['/v1/embeddings', { model: EMBEDDING_MODEL, input: 'Hello', max_tokens: undefined }],
  ])('counts at %s, and is refused with 429 above them', async (path, body) => {
    const key = await keyWith({ rpm: 1, tpm: 100_000 });
    const admitted = await post(path, key, body);
    expect(admitted.status).toBe(200);
    await admitted.text();
    expect(admitted.headers.get('x-ratelimit-limit-requests')).toBe('1');
    expect(admitted.headers.get('x-ratelimit-remaining-requests')).toBe('0');
    expect(Number(admitted.headers.get('x-ratelimit-remaining-tokens'))).toBeLessThan(100_000);
    const refused = await post(path, key, body);
    expect(refused.status).toBe(429);
    const isAnthropic = path === '/v1/messages';
    expect(((await refused.json()) as { error: object }).error).toMatchObject({
      type: 'rate_limit_error',
      code: 'rate_limit_exceeded',
      ...(isAnthropic
        ? { details: { error_code: 'rate_limit_exceeded', limit: 'key_requests_per_minute' } }
        : { limit: 'key_requests_per_minute' }),
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(refused.headers.get('anthropic-ratelimit-requests-remaining')).toBe(isAnthropic ? '0' : null);
    // The refusal is in the log of the customer.
    await waitFor(async () => {
      const { rows } = await site.pool.query(
        "SELECT FROM metering.unserved_calls WHERE account_id = $1 AND http_status = 429 AND error_code = 'rate_limit_exceeded'",
        [account.accountId],
      );
      return rows.length > 0;
    });
  });

  it('for embeddings counts its text alone', async () => {
    const key = await keyWith({ tpm: 100_000 });
    const answer = await post('/v1/embeddings', key, {
      ...{ model: EMBEDDING_MODEL, input: ['Hello', 'Hello'], max_tokens: undefined },
    });
    expect(answer.status).toBe(200);
    const remaining = Number(answer.headers.get('x-ratelimit-remaining-tokens'));
    // Both texts, and no mean of answers.
    expect(remaining).toBeGreaterThan(100_000 - 10);
    expect(remaining).toBeLessThan(100_000);
    await answer.text();
    const refused = await post('/v1/embeddings', await keyWith({ tpm: 1 }), {
      ...{ model: EMBEDDING_MODEL, input: 'a text of several tokens', max_tokens: undefined },
    });
    const { error } = (await refused.json()) as { error: object };
    expect([refused.status, error]).toEqual([
      429,
      expect.objectContaining({ code: 'rate_limit_exceeded', limit: 'key_tokens_per_minute' }),
    ]);
    expect(refused.headers.get('x-should-retry')).toBe('false');
  });

  describe('for audio', () => {
    const clientOf = (apiKey: string) =>
      new OpenAI({ apiKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 }).audio;
    const refusal = (limit: string) => ({ status: 429, code: 'rate_limit_exceeded', error: { limit } });

    it('counts with its tokens, and is refused with 429 above them', async () => {
      script = json({ text: 'Hello', usage: { type: 'duration', seconds: 30 } });
      const { transcriptions } = clientOf(await keyWith({ rpm: 1, tpm: 100_000 }));
      const file = await toFile(wav(30), 'speech.wav', { type: 'audio/wav' });
      const transcribe = () => transcriptions.create({ model: TRANSCRIPTION_MODEL, file }).withResponse();
      const { response } = await transcribe();
      expect(response.headers.get('x-ratelimit-remaining-requests')).toBe('0');
      expect(Number(response.headers.get('x-ratelimit-remaining-tokens'))).toBeLessThan(100_000);
      await expect(transcribe()).rejects.toMatchObject(refusal('key_requests_per_minute'));
    });

    it('holds its place until speech has ended', async () => {
      const { speech } = clientOf(await keyWith({ concurrency: 1 }));
      const speak = () => speech.create({ model: SPEECH_MODEL, voice: 'alloy', input: 'Hello' });
      const growing = new GrowingAudio();
      ({ script } = growing);
      const open = await speak();
      await expect(speak()).rejects.toMatchObject(refusal('key_concurrency'));
      const sent = growing.end();
      expect(await open.text()).toBe(sent);
      script = (_request, response) =>
        void response.writeHead(200, { 'Content-Type': 'audio/mpeg' }).end('audio');
      await waitFor(async () => (await (await speak()).text()) === 'audio');
    });
  });

  it('waits and succeeds in the official SDKs', async () => {
    const openai = new OpenAI({ apiKey: await keyWith({ rpm: 1 }), baseURL: `${gateway.url}/v1` });
    const anthropic = new Anthropic({ apiKey: await keyWith({ rpm: 1 }), baseURL: gateway.url });
    const messages = [{ role: 'user' as const, content: 'Hello' }];
    const chat = () => openai.chat.completions.create({ model: MODEL, max_tokens: 5, messages });
    const message = () => anthropic.messages.create({ model: MODEL, max_tokens: 5, messages });
    const timed = async (call: () => Promise<unknown>) => {
      await call();
      const since = performance.now();
      await call();
      return performance.now() - since;
    };
    const waited = await Promise.all([timed(chat), timed(message)]);
    for (const millis of waited) expect(millis).toBeGreaterThan(800);
  });

  it('has headers and counts from its admission on, and neither before', async () => {
    const key = await keyWith({ rpm: 100 });
    await site.pool.query('UPDATE accounts.api_keys SET allowed_models = $2 WHERE account_id = $1', [
      account.accountId,
      ['sandbox-*', SCRIPTED_MODEL],
    ]);
    const chat = async (body: object, apiKey = key) => {
      const { status, headers } = await post('/v1/chat/completions', apiKey, { ...MESSAGES, ...body });
      const names = [...headers.keys()].filter((name) => name.startsWith('x-ratelimit'));
      return [status, names.length > 0 ? headers.get('x-ratelimit-remaining-requests') : null];
    };
    expect(await chat({ messages: 'none' })).toEqual([400, null]);
    expect(await chat({}, `${key.slice(0, -4)}0000`)).toEqual([401, null]);
    expect(await chat({ model: SPEECH_MODEL })).toEqual([403, null]);
    expect(await chat({ model: 'sandbox-none' })).toEqual([404, null]);
    script = json({ error: { message: 'no', type: 'invalid_request_error', param: null, code: null } }, 422);
    expect(await chat({ model: SCRIPTED_MODEL })).toEqual([422, '99']);
  });

  it('of a key that is disabled, has expired or comes from elsewhere is told so', async () => {
    const refusalOf = async (change: string) => {
      const { apiKeyId, apiKey } = await insertApiKey(site.pool, account.accountId);
      await site.pool.query(`UPDATE accounts.api_keys SET ${change} WHERE id = $1`, [apiKeyId]);
      const response = await post('/v1/chat/completions', apiKey, MESSAGES);
      const { error } = (await response.json()) as { error: { code: string } };
      return [response.status, error.code];
    };
    expect(await refusalOf('disabled_at = now()')).toEqual([401, 'api_key_disabled']);
    expect(await refusalOf("expires_at = now() - interval '1 second'")).toEqual([401, 'api_key_expired']);
    expect(await refusalOf("allowed_ips = '{203.0.113.0/24}'")).toEqual([403, 'ip_not_allowed']);
    expect(await refusalOf("allowed_models = '{vendor/*}'")).toEqual([403, 'model_not_allowed']);
    const { apiKeyId, apiKey } = await insertApiKey(site.pool, account.accountId);
    await site.pool.query("UPDATE accounts.api_keys SET allowed_models = '{sandbox-*}' WHERE id = $1", [
      apiKeyId,
    ]);
    expect((await post('/v1/chat/completions', apiKey, MESSAGES)).status).toBe(200);
  });

  it('has no such headers without limits, and 402 stays 402 and tells them', async () => {
    const plain = await post('/v1/chat/completions', account.apiKey, MESSAGES);
    await plain.text();
    expect([...plain.headers.keys()].filter((name) => name.includes('ratelimit'))).toEqual([]);
    const poor = await site.account(1n);
    const { apiKeyId, apiKey } = await insertApiKey(site.pool, poor.accountId);
    await site.pool.query('UPDATE accounts.api_keys SET requests_per_minute = 1 WHERE id = $1', [apiKeyId]);
    for (let count = 0; count < 3; count++) {
      const { status, headers } = await post('/v1/chat/completions', apiKey, MESSAGES);
      // It does not count.
      expect([status, headers.get('x-ratelimit-remaining-requests')]).toEqual([402, '1']);
    }
  });

  it('holds its place until the end of its stream, also when its client leaves', async () => {
    const key = await keyWith({ concurrency: 1 });
    script = (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write(`data: ${JSON.stringify(BEGUN)}\n\n`);
    };
    const controller = new AbortController();
    const { signal } = controller;
    const open = await post(
      '/v1/chat/completions',
      key,
      { ...MESSAGES, model: SCRIPTED_MODEL, stream: true },
      { signal },
    );
    const reader = open.body!.getReader();
    expect((await reader.read()).done).toBe(false);
    for (let count = 0; count < 3; count++) {
      const second = await post('/v1/chat/completions', key, MESSAGES);
      const { error } = (await second.json()) as { error: { limit?: string } };
      expect([second.status, error.limit]).toEqual([429, 'key_concurrency']);
    }
    controller.abort();
    await waitFor(async () => (await post('/v1/chat/completions', key, MESSAGES)).status === 200, 5_000);
  });
});
