import { GatewayError, toOpenAiError } from '../../errors/openai-error';
import { type Endpoint } from '../../upstreams/upstream';
import { withFields } from '../upstream-body';
import { readProxyRequest, receiveProxyRequest } from './proxy-request';
import { type Bounds, boundsOf, type ModelLimits } from './token-bounds';

const MESSAGES = [{ role: 'user', content: 'Hello' }];

function read(body: unknown, endpoint: Endpoint = 'chat/completions') {
  return readProxyRequest(endpoint, Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)));
}
const readChat = (fields: object) => read({ model: 'm', messages: MESSAGES, ...fields });

function bounds(fields: object, limits: ModelLimits = {}, endpoint: Endpoint = 'chat/completions'): Bounds {
  return boundsOf(read({ model: 'm', messages: MESSAGES, ...fields }, endpoint), limits);
}

function refusal(work: () => unknown): { param: string | null; code: string | null; message: string } {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(GatewayError);
    const { status, body } = toOpenAiError(error as GatewayError);
    expect(status).toBe(400);
    return body.error;
  }
  throw new Error('It was not refused.');
}

describe('readProxyRequest', () => {
  it.each([
    ['no body', undefined],
    ['a parsed body', {}],
    ['an empty body', Buffer.alloc(0)],
    ['broken JSON', Buffer.from('{"model":')],
    ['a byte order mark', Buffer.from('\ufeff{"model":"m","messages":[]}')],
    ['a list', Buffer.from('[]')],
    ['null', Buffer.from('null')],
    ['a text', Buffer.from('"model"')],
    ['a number', Buffer.from('1')],
  ])('refuses %s', (_what, raw) => {
    expect(refusal(() => readProxyRequest('chat/completions', raw)).code).toBe('invalid_json');
  });

  it.each([undefined, null, '', 5, ['m'], {}, 'm'.repeat(201), 'm\0', '\0'])(
    'refuses the model %j',
    (model) => {
      expect(refusal(() => read({ model, messages: MESSAGES }))).toMatchObject({
        param: 'model',
        code: 'invalid_value',
      });
    },
  );

  it.each(['tools', 'messages', 'unknown'])('refuses %s that are nested too deep', (field) => {
    const nested = (depth: number) =>
      `{"model":"m","prompt":"","${field}":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    expect(read(nested(99), 'completions').model).toBe('m');
    for (const depth of [100, 20_000])
      expect(refusal(() => read(nested(depth), 'completions'))).toMatchObject({
        code: 'invalid_json',
        message: 'The body must not be nested more than 100 levels deep.',
      });
  });

  it.each([undefined, null, 'Hello', 5, {}])('refuses the messages %j', (messages) => {
    expect(refusal(() => read({ model: 'm', messages })).param).toBe('messages');
    expect(read({ model: 'm', messages }, 'completions').model).toBe('m');
  });

  it.each(['true', 1, 0, [], {}])('refuses the stream %j', (stream) => {
    expect(refusal(() => readChat({ stream })).param).toBe('stream');
  });

  it.each([[[]], ['x'], [true], [5]])('refuses the stream options %j', (stream_options) => {
    expect(refusal(() => readChat({ stream: true, stream_options })).param).toBe('stream_options');
  });

  it('refuses stream options that are longer than any server knows', () => {
    const readWith = (length: number) =>
      readChat({ stream: true, stream_options: { include_usage: true, x: 'a'.repeat(length) } });
    expect(readWith(16_000).includeUsage).toBe(true);
    expect(refusal(() => readWith(17_000)).message).toBe('stream_options: must have at most 16384 bytes');
  });

  it.each(['yes', 1, {}])('refuses include_usage %j', (include_usage) => {
    expect(refusal(() => readChat({ stream: true, stream_options: { include_usage } })).param).toBe(
      'stream_options.include_usage',
    );
  });

  it.each([0, -1, 1.5, '2', 129, 2 ** 53, true])('refuses n %j', (n) => {
    expect(refusal(() => readChat({ n })).param).toBe('n');
  });

  it('names all invalid fields at once, and the first one as param', () => {
    const { param, message } = refusal(() =>
      readChat({ model: '', n: 0, stream_options: { include_usage: 1 } }),
    );
    const named = message.split('; ').map((fault) => fault.split(': ')[0]);
    expect(named.sort()).toEqual(['model', 'n', 'stream_options.include_usage']);
    expect(message.startsWith(`${param}: `)).toBe(true);
  });

  it('leaves fields of other endpoints to the upstream', () => {
    expect(readChat({ best_of: 'x', prompt: 5 }).choices).toBe(1);
    const input = { model: 'm', input: 'x', max_tokens: 'x', n: 0, stream_options: [] };
    expect(read(input, 'embeddings').choices).toBe(0);
  });

  it('treats null as absent', () => {
    expect(readChat({ stream: null, stream_options: null, n: null })).toMatchObject({
      stream: false,
      includeUsage: false,
      choices: 1,
    });
  });

  it('counts the answers that complete a response', () => {
    expect(readChat({ n: 128 }).choices).toBe(128);
    const completions = (prompt: unknown, n?: number) =>
      read({ model: 'm', prompt, n }, 'completions').choices;
    expect(completions('one')).toBe(1);
    expect(completions(['one', 'two', 'three'], 2)).toBe(6);
    expect(completions([1, 2, 3])).toBe(1);
    expect(completions([[1, 2], [3]])).toBe(2);
    expect(completions([])).toBe(1);
    expect(completions(undefined, 3)).toBe(3);
  });

  it.each<[string, string]>([
    ['model', '{"model":"a","messages":[],"model":"a"}'],
    ['model', '{"model":"a","messages":[],"mo\\u0064el":"b"}'],
    ...['max_tokens', 'max_completion_tokens', 'n_predict', 'n', 'best_of', 'prompt', 'input', 'tools'].map(
      (name) => [name, `{"model":"a","messages":[],"${name}":1,"${name}":2}`] as [string, string],
    ),
    ['stream', '{"stream":true,"model":"a","messages":[],"stream":false}'],
    ['messages', '{"model":"a","messages":[],"messages":[]}'],
    ['stream_options', '{"model":"a","messages":[],"stream_options":null,"stream_options":{}}'],
    [
      'stream_options.include_usage',
      '{"model":"a","messages":[],"stream_options":{"include_usage":true,"include_usage":false}}',
    ],
    ['messages.0.content', '{"model":"a","messages":[{"content":[{"type":"image_url"}],"content":"x"}]}'],
    [
      'messages.1.content.0.type',
      '{"model":"a","messages":[{},{"content":[{"type":"image_url","type":"text"}]}]}',
    ],
  ])('refuses the field %s twice in %s: servers differ in which one they take', (param, body) => {
    expect(refusal(() => read(body))).toEqual({
      message: `${param}: must be given once`,
      type: 'invalid_request_error',
      param,
      code: 'invalid_value',
    });
  });

  it.each([
    '{"model":"a","messages":[],"seed":1,"seed":2}',
    '{"model":"a","messages":[],"metadata":{"model":1,"model":2}}',
    '{"model":"a","messages":[{"weight":1,"weight":2}]}',
    '{"model":"a","messages":[],"tools":[{"parameters":{"type":"object","type":"string"}}]}',
  ])('passes other fields on that are given twice: %s', (body) => {
    expect(read(body).raw.toString()).toBe(body);
  });

  it.each(['1e400', '123456789012345678901234567890', '0.1000000000000000055', '9'.repeat(10_000), '-0.0'])(
    'passes the number %s on',
    (number) => {
      const request = read(`{"model":"m","messages":[],"seed":${number}}`);
      expect(withFields(request, { max_tokens: 1 }).toString()).toBe(
        `{"max_tokens":1,"model":"m","messages":[],"seed":${number}}`,
      );
    },
  );

  it.each(['Model', 'MAX_TOKENS', 'N', '\u017ftream', 'Stream_Options'])(
    'refuses the field %s, which some servers take for the one that binds the price',
    (name) => {
      expect(refusal(() => read({ model: 'm', messages: [], [name]: 1 }))).toMatchObject({
        code: 'invalid_value',
        param: name,
      });
    },
  );

  it('does not stream embeddings', () => {
    expect(read({ model: 'm', input: 'x', stream: true, n: 7 }, 'embeddings')).toMatchObject({
      stream: false,
      choices: 0,
    });
  });

  it('reads of a long body what it reads of a short one', async () => {
    const fields = {
      model: 'm',
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'x'.repeat(200_000) }, { type: 'image_url' }] },
      ],
      unknown: Array.from({ length: 10_000 }, (_, i) => ({ [`name${i}`]: i })),
      n: 2,
      stream: true,
      stream_options: { include_usage: true },
    };
    const raw = Buffer.from(JSON.stringify(fields));
    const { body, ...request } = await receiveProxyRequest('chat/completions', raw);
    const { unknown: _unknown, ...known } = fields;
    expect(body).toEqual(known);
    expect(request).toMatchObject({ raw, model: 'm', stream: true, includeUsage: true, choices: 2 });
    expect(boundsOf({ body, ...request }, {})).toMatchObject({ inputTokens: 131_072, isLimited: false });
    const forUpstream = withFields(request, { model: 'other', max_tokens: 4096 });
    expect(JSON.parse(forUpstream.toString())).toEqual({ ...fields, model: 'other', max_tokens: 4096 });
  });

  it.each([
    ['a field given twice', '"n":1', 'n'],
    ['a field in capitals', '"N":1', 'N'],
    ['a wrong value', '"max_tokens":0', 'max_tokens'],
  ])('refuses %s in a long body', async (_what, field, param) => {
    const raw = Buffer.from(`{"model":"m","messages":["${'x'.repeat(300_000)}"],"n":1,${field}}`);
    await expect(receiveProxyRequest('chat/completions', raw)).rejects.toMatchObject({ param });
  });
});

describe('boundsOf', () => {
  it('bounds the prompt by the size of the body', () => {
    const request = readChat({ messages: [{ role: 'user', content: '漢'.repeat(100) }] });
    expect(boundsOf(request, {}).inputTokens).toBe(request.raw.length);
    expect(boundsOf(request, { contextTokens: 50 }).inputTokens).toBe(50);
    expect(boundsOf(request, { contextTokens: 1e6 }).inputTokens).toBe(request.raw.length);
  });

  it.each([
    ['neither', {}, 131_072, false],
    ['max_tokens', { max_tokens: 5 }, 5, true],
    ['max_completion_tokens', { max_completion_tokens: 6 }, 6, true],
    ['the greater of both', { max_tokens: 5, max_completion_tokens: 6 }, 6, true],
    ['the greater of both again', { max_tokens: 7, max_completion_tokens: 6 }, 7, true],
    ['the other when one is null', { max_tokens: null, max_completion_tokens: 6 }, 6, true],
    ['each of n', { max_tokens: 5, n: 3 }, 15, true],
    ['the default of each of n', { n: 3 }, 3 * 131_072, false],
  ])('bounds a chat answer by %s', (_what, fields, outputTokens, isLimited) => {
    expect(bounds(fields)).toMatchObject({ outputTokens, isLimited });
    expect(bounds(fields)).not.toHaveProperty('imposed');
  });

  it('knows that an answer is no longer than the model can give', () => {
    expect(bounds({ n: 2 }, { maxOutputTokens: 10 })).toMatchObject({ outputTokens: 20, isLimited: false });
    expect(bounds({ max_tokens: 50 }, { maxOutputTokens: 10 })).toMatchObject({
      outputTokens: 10,
      isLimited: true,
    });
    expect(bounds({}, { contextTokens: 8_192 })).toMatchObject({
      outputTokens: 8_192,
      context: { tokens: 8_192, answers: 1 },
    });
    expect(
      bounds({ max_tokens: 9_000 }, { contextTokens: 8_192, maxOutputTokens: 10_000 }).outputTokens,
    ).toBe(8_192);
  });

  it.each([
    [{ prompt: 'a' }, 131_072, false],
    [{ prompt: 'a', max_tokens: 5 }, 5, true],
    [{ prompt: 'a', max_tokens: 5, n: 2 }, 10, true],
    [{ prompt: 'a', max_tokens: 5, n: 2, best_of: 4 }, 20, true],
    [{ prompt: 'a', max_tokens: 5, n: 4, best_of: 2 }, 20, true],
    [{ prompt: ['a', 'b', 'c'], max_tokens: 5, best_of: 2 }, 30, true],
    [{ prompt: ['a', 'b'] }, 2 * 131_072, false],
    [{ prompt: [1, 2, 3], max_tokens: 5 }, 5, true],
    [{ prompt: [[1], [2]], max_tokens: 5 }, 10, true],
  ])('bounds the completion of %j', (fields, outputTokens, isLimited) => {
    expect(bounds(fields, {}, 'completions')).toMatchObject({ outputTokens, isLimited });
  });

  it('gives each of several prompts the whole context', () => {
    const limits = { contextTokens: 10, maxOutputTokens: 4 };
    const several = bounds({ prompt: ['a'.repeat(20), 'b'] }, limits, 'completions');
    expect(several).toMatchObject({ outputTokens: 8 });
    expect(several.inputTokens).toBeGreaterThan(20);
    expect(several.context).toBeUndefined();
    expect(bounds({ prompt: 'a'.repeat(20), n: 2 }, limits, 'completions')).toMatchObject({
      inputTokens: 10,
      outputTokens: 8,
      context: { tokens: 10, answers: 2 },
    });
  });

  it('expects no output of embeddings', () => {
    const request = read({ model: 'm', input: ['a', 'b'], max_tokens: 7 }, 'embeddings');
    expect(boundsOf(request, {})).toMatchObject({ inputTokens: request.raw.length, outputTokens: 0 });
  });

  it.each([
    ['max_tokens', 0],
    ['max_tokens', '5'],
    ['max_tokens', 1e300],
    ['max_completion_tokens', -1],
    ['max_completion_tokens', 1.5],
  ])('refuses %s of %j', (field, value) => {
    expect(refusal(() => bounds({ [field]: value })).param).toBe(field);
  });

  it('refuses a token limit whose product with the answers is not a safe integer', () => {
    expect(refusal(() => bounds({ max_tokens: Number.MAX_SAFE_INTEGER, n: 2 })).param).toBe('max_tokens');
    expect(refusal(() => bounds({ prompt: 'a', best_of: 129 }, {}, 'completions')).param).toBe('best_of');
  });

  it('bounds a prompt with media by the context window', () => {
    const image = { type: 'image_url', image_url: { url: 'https://pictures.example/1.png' } };
    const withParts = (...content: unknown[]) => ({ messages: [{ role: 'user', content }] });
    expect(bounds(withParts({ type: 'text', text: 'x' }, image)).inputTokens).toBe(131_072);
    expect(bounds(withParts(image), { contextTokens: 9_000 }).inputTokens).toBe(9_000);
    expect(bounds(withParts({ type: 'input_audio' }), { contextTokens: 9_000 }).inputTokens).toBe(9_000);
    expect(bounds(withParts(null), { contextTokens: 9_000 }).inputTokens).toBe(9_000);
    expect(bounds(withParts({ type: 'text', text: 'x' }, { type: 'refusal' })).inputTokens).toBeLessThan(200);
    expect(bounds({ messages: [null, 5, 'x', {}] }).inputTokens).toBeLessThan(200);
  });
});
