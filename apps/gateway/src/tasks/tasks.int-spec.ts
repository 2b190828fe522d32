import { gzipSync } from 'node:zlib';
import { type UnitRate } from '@inference/metering';
import { insertApiKey, type TestAccount, waitFor } from '@inference/testing';
import OpenAI, { toFile } from 'openai';
import { type ScriptedUpstream, startUpstream, TestSite } from '../testing/gateway.fixture';
import { events, GrowingAudio, json, type Script, wav } from './tasks.fixture';

/** Models with one task behind the gateway, called with OpenAI's SDK. The server of the models answers what each test says. */

const rate = (unit: UnitRate['unit'], ratePicos: bigint): UnitRate => ({ unit, ratePicos });
const [INPUT, OUTPUT] = [rate('per_million_input_tokens', 10n), rate('per_million_output_tokens', 20n)];
const MODELS: Record<string, UnitRate[]> = {
  image: [rate('per_image', 5_000n)],
  'image-tokens': [INPUT, OUTPUT],
  whisper: [rate('per_audio_minute', 600n)],
  'transcribe-tokens': [INPUT, rate('per_million_audio_input_tokens', 30n), OUTPUT],
  tts: [rate('per_million_characters', 15n)],
  rerank: [rate('per_search', 2_000n)],
  'rerank-gone': [rate('per_search', 1_000n)],
  'rerank-tokens': [INPUT],
  moderation: [rate('per_request', 7n)],
  'moderation-tokens': [INPUT],
};

let upstream: ScriptedUpstream;
let site: TestSite;
let script: Script;
let account: TestAccount;
let openai: OpenAI;

beforeAll(async () => {
  upstream = await startUpstream((request, response, body) => script(request, response, body));
  site = await TestSite.start(MODELS, { AUDIO_UPLOAD_LIMIT_MIB: '1' }, () => [
    {
      name: 'scripted',
      base_url: upstream.url,
      models: {
        ...Object.fromEntries(
          Object.keys(MODELS).flatMap((name) => (name === 'rerank-gone' ? [] : [[name, name]])),
        ),
        whisper: 'whisper-1',
      },
    },
  ]);
});
afterAll(async () => {
  await site.stop();
  await upstream.close();
});
beforeEach(async () => {
  upstream.bodies.length = 0;
  account = await site.account();
  openai = new OpenAI({ baseURL: `${site.gateway.url}/v1`, apiKey: account.apiKey, maxRetries: 0 });
});

const audio = (seconds = 30) => toFile(wav(seconds), 'speech.wav', { type: 'audio/wav' });

async function eventsOf(stream: AsyncIterable<unknown>, received: unknown[] = []): Promise<unknown[]> {
  for await (const event of stream) received.push(event);
  return received;
}

async function expectEvent(costPicos: bigint, fields: object): Promise<void> {
  expect(await site.onlyEvent(account)).toMatchObject({
    cost_picos: costPicos,
    upstream: 'scripted',
    ...fields,
  });
  await site.expectCharged(account, costPicos);
}

it('of a model without a server are answered by its first fallback with a price of the task, unless switched off', async () => {
  await site.pool.query(
    `INSERT INTO serving.models (id, slug, fallbacks) VALUES ('mod_gone', 'rerank-gone', ARRAY['tts', 'rerank'])`,
  );
  await site.pool.query("SELECT pg_notify('serving', '')");
  script = json({ results: [{ index: 0, relevance_score: 1 }] });
  const rerank = (headers: Record<string, string> = {}) => {
    const body = { model: 'rerank-gone', query: 'a', documents: ['b', 'c'] };
    return site.post('/v1/rerank', account.apiKey, body, { headers });
  };
  const response = await waitFor(async () => {
    const answer = await rerank();
    return answer.status === 200 && answer;
  });
  expect(response.headers.get('x-inference-model')).toBe('rerank');
  expect(JSON.parse(upstream.bodies.at(-1)!)).toMatchObject({ model: 'rerank' });
  await expectEvent(2_000n, { model: 'rerank', endpoint: 'rerank' });
  expect((await rerank({ 'X-Inference-Fallback': 'off' })).status).toBe(404);
  expect(upstream.bodies).toHaveLength(1);
});

describe('images', () => {
  it('are charged by their number, and the answer has no usage', async () => {
    script = json({ created: 1, data: [{ b64_json: 'AA==' }, { b64_json: 'AQ==' }] });
    const { data, response } = await openai.images
      .generate({ model: 'image', prompt: 'A lighthouse', n: 2 })
      .withResponse();
    expect(data.data).toHaveLength(2);
    expect(response.headers.get('x-cost')).toBe('0.00000001');
    await expectEvent(10_000n, { endpoint: 'images/generations', estimated: false, outcome: 'completed' });
  });

  it('are charged by tokens, and the usage tells the price', async () => {
    const usage = { input_tokens: 9, output_tokens: 100, total_tokens: 109, cost: 77 };
    script = json({ created: 1, data: [{ b64_json: 'AA==' }], usage });
    const answer = await openai.images.generate({ model: 'image-tokens', prompt: 'A lighthouse' });
    expect(answer.usage).toMatchObject({ output_tokens: 100, cost: 0.00000000209 });
    await expectEvent(2_090n, { input_tokens: 9n, output_tokens: 100n, estimated: false });
  });

  it('without a report are estimated where tokens are the price', async () => {
    script = json({ created: 1, data: [{ b64_json: 'AA==' }] });
    await openai.images.generate({ model: 'image-tokens', prompt: 'A lighthouse' });
    expect(await site.onlyEvent(account)).toMatchObject({ estimated: true, output_tokens: 1_056n });
  });

  it('come as a stream, whose last event tells the price', async () => {
    const usage = { input_tokens: 9, output_tokens: 100, total_tokens: 109 };
    script = events(
      { type: 'image_generation.partial_image', b64_json: 'AA==', partial_image_index: 0 },
      { type: 'image_generation.completed', b64_json: 'AQ==', usage },
    );
    const stream = await openai.images.generate({ model: 'image-tokens', prompt: 'x', stream: true });
    expect(await eventsOf(stream)).toMatchObject([
      { type: 'image_generation.partial_image' },
      { type: 'image_generation.completed', usage: { cost: 0.00000000209 } },
    ]);
    await expectEvent(2_090n, { estimated: false });
  });

  it('that break off are free', async () => {
    script = events({ type: 'image_generation.partial_image', b64_json: 'AA==' });
    const answer = await site.post('/v1/images/generations', account.apiKey, {
      model: 'image',
      prompt: 'x',
      stream: true,
    });
    expect(await answer.text()).toMatch(/partial_image.*\n\ndata: \{"error":\{"message":"No upstream.*\n\n$/);
    await site.expectCharged(account, 0n);
  });

  it('that the server refuses with an event are free', async () => {
    const error = { message: 'no', type: 'server_error', param: null, code: null };
    script = events({ type: 'error', error });
    const asked = openai.images.generate({ model: 'image', prompt: 'x', stream: true });
    await expect(asked).rejects.toMatchObject({ status: 502, code: 'upstream_error' });
    script = events({ type: 'image_generation.partial_image', b64_json: 'AA==' }, { type: 'error', error });
    const stream = await openai.images.generate({ model: 'image', prompt: 'x', stream: true });
    const read = async () => {
      for await (const event of stream) expect(event.type).toBe('image_generation.partial_image');
    };
    await expect(read()).rejects.toThrow('no');
    await site.expectCharged(account, 0n);
  });
});

describe('transcriptions', () => {
  it('are charged by the seconds that the server reports, under its own name of the model', async () => {
    script = json({ text: 'Hello', usage: { type: 'duration', seconds: 31 } });
    const answer = await openai.audio.transcriptions.create({ model: 'whisper', file: await audio() });
    expect(answer).toMatchObject({ text: 'Hello', usage: { seconds: 31, cost: 0.00000000031 } });
    expect(upstream.bodies[0]).toMatch(/name="model"\r\n\r\nwhisper-1\r\n/);
    expect(upstream.headers.at(-1)?.['content-type']).toMatch(/^multipart\/form-data; boundary=/);
    await expectEvent(310n, { endpoint: 'audio/transcriptions', model: 'whisper', estimated: false });
  });

  it('are charged by the duration of a detailed answer', async () => {
    script = json({ task: 'transcribe', text: 'Hello', duration: '29.3', segments: [] });
    const file = await audio();
    await openai.audio.transcriptions.create({ model: 'whisper', file, response_format: 'verbose_json' });
    await expectEvent(300n, { estimated: false });
  });

  it.each(['text', 'srt', 'vtt'] as const)(
    'as %s are charged by the length of the file',
    async (response_format) => {
      script = (_request, response) =>
        void response.writeHead(200, { 'Content-Type': 'text/plain' }).end('Hello\n');
      const text: unknown = await openai.audio.transcriptions.create({
        model: 'whisper',
        file: await audio(),
        response_format,
      });
      expect(text).toBe('Hello\n');
      await expectEvent(310n, { estimated: true });
    },
  );

  it('are charged by tokens, audio at its own price', async () => {
    const usage = {
      ...{ type: 'tokens', input_tokens: 310, output_tokens: 4, total_tokens: 314 },
      input_token_details: { text_tokens: 10, audio_tokens: 300 },
    };
    script = json({ text: 'Hello there', usage });
    await openai.audio.transcriptions.create({ model: 'transcribe-tokens', file: await audio() });
    await expectEvent(10n * 10n + 300n * 30n + 4n * 20n, {
      input_tokens: 310n,
      output_tokens: 4n,
      estimated: false,
    });
  });

  it('stream, and the last event waits until they are charged', async () => {
    const usage = { type: 'tokens', input_tokens: 10, output_tokens: 4, total_tokens: 14 };
    script = events(
      { type: 'transcript.text.delta', delta: 'Hello' },
      { type: 'transcript.text.done', text: 'Hello', usage },
    );
    const model = 'transcribe-tokens';
    const stream = await openai.audio.transcriptions.create({ model, file: await audio(), stream: true });
    expect(await eventsOf(stream)).toMatchObject([
      { delta: 'Hello' },
      { text: 'Hello', usage: { cost: 0.00000000018 } },
    ]);
    await expectEvent(180n, { estimated: false });
  });

  it.each([
    ['a comment', ': bye\n\n'],
    ['an event that is no JSON', 'data: bye\n\n'],
    ['an event of another type', 'data: {"type":"bye"}\n\n'],
  ])('keep their last event back behind %s', async (_title, behind) => {
    const delta = { type: 'transcript.text.delta', delta: 'Hello' };
    const done = { type: 'transcript.text.done', text: 'Hello there' };
    script = (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      const text = [delta, done].map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
      response.write(text + behind, () => response.destroy());
    };
    const model = 'transcribe-tokens';
    const stream = await openai.audio.transcriptions.create({ model, file: await audio(), stream: true });
    const received: unknown[] = [];
    await expect(eventsOf(stream, received)).rejects.toThrow('No upstream');
    expect(received).toEqual([delta]);
    await site.expectCharged(account, 0n);
  });

  it('are translated, too', async () => {
    script = json({ text: 'Hello' });
    const answer = await openai.audio.translations.create({ model: 'whisper', file: await audio(60) });
    expect(answer.text).toBe('Hello');
    await expectEvent(610n, { endpoint: 'audio/translations', estimated: true });
  });

  const form = (content: string, boundary = 'b') => ({
    headers: { 'Content-Type': `multipart/form-data; boundary=${boundary}` },
    content: content.replaceAll('\n', '\r\n'),
  });
  const part = (name: string, value: string, more = '') =>
    `--b\nContent-Disposition: form-data; name="${name}"${more}\n\n${value}\n`;
  const file = part('file', 'RIFF', '; filename="a.wav"');

  it.each<[string, string, string, string | null]>([
    ['no model', `${file}--b--\n`, 'invalid_value', 'model'],
    ['no file', `${part('model', 'whisper')}--b--\n`, 'invalid_value', 'file'],
    [
      'two models',
      `${part('model', 'whisper')}${part('model', 'image')}${file}--b--\n`,
      'invalid_value',
      'model',
    ],
    ['a model in another case', `${part('Model', 'whisper')}${file}--b--\n`, 'invalid_value', 'Model'],
    ['no end', `${part('model', 'whisper')}${file}`, 'invalid_form', null],
    ['text behind the end', `${part('model', 'whisper')}${file}--b--\nx`, 'invalid_form', null],
    ['text before the beginning', `x\n${part('model', 'whisper')}${file}--b--\n`, 'invalid_form', null],
    [
      'the boundary in a part',
      `${part('model', 'whisper')}${part('file', 'a--b', '; filename="a"')}--b--\n`,
      'invalid_form',
      null,
    ],
    ['a part without headers', `--b\n\nwhisper\n${file}--b--\n`, 'invalid_form', null],
    [
      'another name in a file name',
      `${part('model', 'whisper')}${part('x', 'y', '; filename=a; name="model"')}--b--\n`,
      'invalid_form',
      null,
    ],
  ])('refuses a form with %s', async (_title, text, code, param) => {
    const { headers, content } = form(text);
    const answer = await site.post('/v1/audio/transcriptions', account.apiKey, content, { headers });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { code, param } });
    expect(upstream.bodies).toEqual([]);
  });

  it.each([
    ['multipart/form-data; boundary="b"; charset=utf-8', 200],
    ['Multipart/Form-Data;boundary=b', 200],
    ['multipart/form-data', 415],
    ['multipart/form-data; charset=utf-8', 400],
    ['multipart/form-data; x="; boundary=c"; boundary=b', 400],
    ['multipart/form-data; boundary=b; boundary=c', 400],
  ])('takes the content type %s for %d', async (type, status) => {
    script = json({ text: 'Hello' });
    const { content } = form(`${part('model', 'whisper')}${file}--b--\n`);
    const answer = await site.post('/v1/audio/transcriptions', account.apiKey, content, {
      headers: { 'Content-Type': type },
    });
    expect(answer.status).toBe(status);
  });

  it('refuses a larger form, and another body', async () => {
    const larger = openai.audio.transcriptions.create({ model: 'whisper', file: await audio(2_000) });
    await expect(larger).rejects.toMatchObject({ status: 413, code: 'request_too_large' });
    const answer = await site.post('/v1/audio/transcriptions', account.apiKey, { model: 'whisper' });
    expect(answer.status).toBe(415);
  });
});

describe('speech', () => {
  const bytes = Buffer.alloc(200_000, 'audio');
  const speak = (input = 'Hello 🦜') => ({ model: 'tts', voice: 'alloy' as const, input });

  it('is charged by characters, which the head of the answer tells', async () => {
    script = (_request, response) =>
      void response.writeHead(200, { 'Content-Type': 'audio/mpeg' }).end(bytes);
    const answer = await openai.audio.speech.create(speak());
    expect(answer.headers.get('content-type')).toBe('audio/mpeg');
    expect(answer.headers.get('x-cost')).toBe('0.000000000105');
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
    await expectEvent(105n, { endpoint: 'audio/speech', estimated: false, input_tokens: 0n });
  });

  it('is no JSON, with which some servers report a failure', async () => {
    script = json({ error: 'no' });
    await expect(openai.audio.speech.create(speak())).rejects.toMatchObject({ status: 502 });
    await site.expectCharged(account, 0n);
  });

  it('is passed on as it comes', async () => {
    const growing = new GrowingAudio();
    ({ script } = growing);
    const answer = await site.post('/v1/audio/speech', account.apiKey, speak());
    const reader = answer.body!.getReader();
    let text = Buffer.from((await reader.read()).value!).toString();
    expect(text).not.toBe('');
    const sent = growing.end();
    expect(sent.startsWith(text)).toBe(true);
    for (let read = await reader.read(); !read.done; read = await reader.read())
      text += Buffer.from(read.value).toString();
    expect(text).toBe(sent);
    await expectEvent(105n, { outcome: 'completed' });
  });

  it('that the client leaves is charged, and ends at the server', async () => {
    const growing = new GrowingAudio();
    ({ script } = growing);
    const leave = new AbortController();
    const answer = await site.post('/v1/audio/speech', account.apiKey, speak(), { signal: leave.signal });
    await answer.body!.getReader().read();
    leave.abort();
    await waitFor(() => growing.response.destroyed);
    await expectEvent(105n, { outcome: 'disconnected' });
  });

  it('that breaks off is free, and in the log of failed calls', async () => {
    const growing = new GrowingAudio();
    ({ script } = growing);
    const answer = await site.post('/v1/audio/speech', account.apiKey, speak());
    growing.response.destroy();
    await expect(answer.arrayBuffer()).rejects.toThrow();
    const { rows } = await waitFor(async () => {
      const found = await site.pool.query(
        'SELECT endpoint, model, kind, error_code FROM metering.unserved_calls WHERE account_id = $1',
        [account.accountId],
      );
      return found.rows.length > 0 && found;
    });
    expect(rows).toEqual([
      { endpoint: 'audio/speech', model: 'tts', kind: 'failed', error_code: 'upstream_error' },
    ]);
    await site.expectCharged(account, 0n);
  });
});

describe('a stream that its client leaves', () => {
  async function leaveAfter(event: object, ask: () => PromiseLike<AsyncIterable<unknown>>): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      script = (_request, response) => {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        response.write(`data: ${JSON.stringify(event)}\n\n`);
        response.on('close', resolve);
      };
    });
    for await (const received of await ask()) {
      expect(received).toEqual(event);
      break;
    }
    await closed;
  }

  it('is charged for the text that has come', async () => {
    const file = await audio();
    await leaveAfter({ type: 'transcript.text.delta', delta: 'Hello' }, () =>
      openai.audio.transcriptions.create({ model: 'transcribe-tokens', file, stream: true }),
    );
    await expectEvent(310n * 30n + 20n, { outcome: 'disconnected', output_tokens: 1n, estimated: true });
  });

  it('is charged for an image of which a sketch has come', async () => {
    const sketch = { type: 'image_generation.partial_image', b64_json: 'AA==', partial_image_index: 0 };
    await leaveAfter(sketch, () => openai.images.generate({ model: 'image', prompt: 'x', stream: true }));
    await expectEvent(5_000n, { outcome: 'disconnected', estimated: false });
  });
});

describe('rerank', () => {
  const body = (model: string) => ({ model, query: 'ledger', documents: ['a', 'b'], top_n: 1 });

  it('is charged by the searches of Cohere’s shape', async () => {
    script = json({
      id: '1',
      results: [{ index: 1, relevance_score: 0.5 }],
      meta: { billed_units: { search_units: 3 } },
    });
    const answer = await site.post('/v1/rerank', account.apiKey, body('rerank'));
    expect(answer.headers.get('x-cost')).toBe('0.000000006');
    expect(await answer.json()).toMatchObject({ results: [{ index: 1 }] });
    expect(JSON.parse(upstream.bodies[0]!)).toEqual(body('rerank'));
    await expectEvent(6_000n, { endpoint: 'rerank', estimated: false });
  });

  it('keeps to the limits of the key', async () => {
    script = json({ id: '1', results: [], meta: { billed_units: { search_units: 1 } } });
    const limits = 'requests_per_minute = 1, tokens_per_minute = 10';
    await site.pool.query(`UPDATE accounts.api_keys SET ${limits} WHERE id = $1`, [account.apiKeyId]);
    const answer = await site.post('/v1/rerank', account.apiKey, body('rerank'));
    expect([answer.status, answer.headers.get('x-ratelimit-remaining-requests')]).toEqual([200, '0']);
    // Twice the query and both documents.
    expect(answer.headers.get('x-ratelimit-remaining-tokens')).toBe('5');
    await answer.text();
    const refused = await site.post('/v1/rerank', account.apiKey, body('rerank'));
    expect([refused.status, ((await refused.json()) as { error: object }).error]).toEqual([
      429,
      expect.objectContaining({ code: 'rate_limit_exceeded', limit: 'key_requests_per_minute' }),
    ]);
  });

  it('is charged by the tokens of Jina’s shape', async () => {
    script = json({ model: 'm', usage: { total_tokens: 15 }, results: [{ index: 0, relevance_score: 1 }] });
    const answer = await site.post('/v1/rerank', account.apiKey, body('rerank-tokens'));
    expect(await answer.json()).toMatchObject({ usage: { total_tokens: 15, cost: 0.00000000015 } });
    await expectEvent(150n, { input_tokens: 15n, output_tokens: 0n, estimated: false });
  });

  it('without a report is counted', async () => {
    script = json({ results: [] });
    await site.post('/v1/rerank', account.apiKey, body('rerank'));
    await expectEvent(2_000n, { estimated: true });
  });
});

describe('moderations', () => {
  const verdict = {
    id: 'modr-1',
    model: 'moderation',
    results: [{ flagged: false, categories: {}, category_scores: {} }],
  };

  it('are charged by the request', async () => {
    script = json(verdict);
    const { data, response } = await openai.moderations
      .create({ model: 'moderation', input: 'Hello' })
      .withResponse();
    expect(data.results[0]?.flagged).toBe(false);
    expect(response.headers.get('x-cost')).toBe('0.000000000007');
    await expectEvent(7n, { endpoint: 'moderations', estimated: false });
  });

  it('are charged by the tokens of the gateway’s count, since servers report none', async () => {
    script = (_request, response) =>
      void response
        .writeHead(200, { 'Content-Type': 'Application/JSON; Charset=UTF-8', 'Content-Encoding': 'gzip' })
        .end(gzipSync(`\ufeff${JSON.stringify(verdict)}`));
    const input = [{ type: 'text' as const, text: 'Hello' }];
    await openai.moderations.create({ model: 'moderation-tokens', input });
    await expectEvent(10n, { input_tokens: 1n, estimated: true });
  });
});

describe('a request is refused', () => {
  it.each([
    ['/v1/images/generations', { model: 'tts', prompt: 'x' }, /images, tokens of its output or requests/],
    ['/v1/images/generations', { model: 'rerank-tokens', prompt: 'x' }, /images/],
    ['/v1/audio/speech', { model: 'image', input: 'x' }, /characters or requests/],
    ['/v1/rerank', { model: 'image', query: 'x', documents: ['y'] }, /searches/],
    ['/v1/moderations', { model: 'whisper', input: 'x' }, /tokens of its input or requests/],
    ['/v1/chat/completions', { model: 'image', messages: [] }, /output/],
    ['/v1/embeddings', { model: 'image', input: 'x' }, /tokens or requests/],
  ])('at %s of %j without a price of what is counted', async (path, body, message) => {
    const answer = await site.post(path, account.apiKey, body);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({
      error: { code: 'model_not_found', param: 'model', message: expect.stringMatching(message) as string },
    });
  });

  it.each([
    ['/v1/rerank', { model: 'rerank', documents: [] }, 'query'],
    ['/v1/rerank', { model: 'rerank', query: 'x', documents: 'y' }, 'documents'],
    ['/v1/images/generations', { model: 'image', prompt: 'x', n: 0 }, 'n'],
    ['/v1/images/generations', { model: 'image', prompt: 'x', n: 2, stream: true }, 'n'],
    ['/v1/images/generations', { model: 'image', prompt: 'x', N: 2 }, 'N'],
    ['/v1/audio/speech', { model: 'tts', input: '' }, 'input'],
    ['/v1/moderations', { input: 'x' }, 'model'],
    ['/v1/moderations', { model: 'moderation' }, 'input'],
  ])('at %s for %j, by name', async (path, body, param) => {
    const answer = await site.post(path, account.apiKey, body);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { code: 'invalid_value', param } });
  });

  it('without money, for a key that may not use the model, and by the server', async () => {
    const image = { model: 'image', prompt: 'x' };
    const poor = await site.account(4_999n);
    expect((await site.post('/v1/images/generations', poor.apiKey, image)).status).toBe(402);
    const { apiKey } = await insertApiKey(site.pool, account.accountId, { allowedModels: ['tts'] });
    expect((await site.post('/v1/images/generations', apiKey, image)).status).toBe(403);
    const error = { message: 'no', type: 'image_error', param: null, code: 'content_policy_violation' };
    script = json({ error }, 400);
    const refused = await site.post('/v1/images/generations', account.apiKey, image);
    expect([refused.status, await refused.json()]).toEqual([400, { error }]);
    script = json({ error: { message: 'no' } });
    expect((await site.post('/v1/images/generations', account.apiKey, image)).status).toBe(502);
    await site.expectCharged(account, 0n);
  });
});
