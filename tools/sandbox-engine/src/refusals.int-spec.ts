import { request } from 'node:http';
import { type SandboxEngine, startSandboxEngine } from './index';

let engine: SandboxEngine;

beforeAll(async () => {
  engine = await startSandboxEngine({ port: 0 });
});
afterAll(() => engine.close());

interface Refusal {
  status: number;
  error: { message: string; type: string; param: string | null; code: string | null };
}

async function refusal(path: string, body: unknown, method = 'POST'): Promise<Refusal> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(`${engine.url}${path}`, {
    method,
    ...(method === 'POST' ? { body: text } : {}),
  });
  expect(response.headers.get('content-type')).toBe('application/json');
  const answer = (await response.json()) as Pick<Refusal, 'error'>;
  expect(Object.keys(answer)).toEqual(['error']);
  expect(Object.keys(answer.error)).toEqual(['message', 'type', 'param', 'code']);
  return { status: response.status, ...answer };
}

const CHAT = { model: 'sandbox-chat', messages: [{ role: 'user', content: 'hi' }] };
const EMBED = { model: 'sandbox-embed', input: 'x' };

describe('a chat request', () => {
  it.each<[object, string | null]>([
    [{ ...CHAT, model: undefined }, 'model'],
    [{ ...CHAT, model: 7 }, 'model'],
    [{ ...CHAT, model: 'sandbox-embed' }, 'model'],
    [{ ...CHAT, messages: undefined }, 'messages'],
    [{ ...CHAT, messages: [] }, 'messages'],
    [{ ...CHAT, messages: 'hi' }, 'messages'],
    [{ ...CHAT, messages: ['hi'] }, 'messages[0]'],
    [{ ...CHAT, messages: [{ content: 'hi' }] }, 'messages[0].role'],
    [{ ...CHAT, messages: [{ role: 'robot', content: 'hi' }] }, 'messages[0].role'],
    [{ ...CHAT, messages: [{ role: 'user' }] }, 'messages[0].content'],
    [{ ...CHAT, messages: [{ role: 'user', content: null }] }, 'messages[0].content'],
    [{ ...CHAT, messages: [{ role: 'user', content: [{ type: 'text' }] }] }, 'messages[0].content[0].text'],
    [{ ...CHAT, max_tokens: 0 }, 'max_tokens'],
    [{ ...CHAT, max_tokens: -1 }, 'max_tokens'],
    [{ ...CHAT, max_tokens: 1.5 }, 'max_tokens'],
    [{ ...CHAT, max_tokens: '5' }, 'max_tokens'],
    [{ ...CHAT, max_tokens: 1e300 }, 'max_tokens'],
    [{ ...CHAT, max_completion_tokens: 0 }, 'max_completion_tokens'],
    [{ ...CHAT, max_tokens: 5, max_completion_tokens: 5 }, 'max_tokens'],
    [{ ...CHAT, n: 0 }, 'n'],
    [{ ...CHAT, n: 129 }, 'n'],
    [{ ...CHAT, temperature: 2.1 }, 'temperature'],
    [{ ...CHAT, top_p: -0.1 }, 'top_p'],
    [{ ...CHAT, stream: 'yes' }, 'stream'],
    [{ ...CHAT, stream_options: { include_usage: true } }, 'stream_options'],
    [{ ...CHAT, stream: true, stream_options: true }, 'stream_options'],
    [{ ...CHAT, tools: 'ping' }, 'tools'],
    [{ ...CHAT, tools: [{}] }, 'tools[0].function'],
    [{ ...CHAT, tools: [{ type: 'function', function: {} }] }, 'tools[0].function.name'],
  ])('%j is refused for %s', async (body, param) => {
    expect(await refusal('/v1/chat/completions', body)).toMatchObject({
      status: 400,
      error: { type: 'invalid_request_error', param },
    });
  });

  it.each(['', '{', 'null', '[]', '"text"', '7', '{"model":"sandbox-chat",}'])(
    'a chat request with the body %j is refused',
    async (body) => {
      expect(await refusal('/v1/chat/completions', body)).toMatchObject({
        status: 400,
        error: { type: 'invalid_request_error' },
      });
    },
  );

  it('an unknown model gets the error of OpenAI', async () => {
    for (const model of ['gpt-4o', '', 'sandbox', 'sandbox-chat\u0000', '\ud800', '__proto__']) {
      const answer = await refusal('/v1/chat/completions', { ...CHAT, model });
      expect(answer).toMatchObject({
        status: 404,
        error: { type: 'invalid_request_error', param: null, code: 'model_not_found' },
      });
    }
  });

  it('null for optional fields is accepted', async () => {
    const names = [
      'max_tokens',
      'max_completion_tokens',
      'n',
      'stream',
      'stream_options',
      'tools',
      'temperature',
    ];
    const body = JSON.stringify({ ...CHAT, ...Object.fromEntries(names.map((name) => [name, null])) });
    const response = await fetch(`${engine.url}/v1/chat/completions`, { method: 'POST', body });
    expect(response.status).toBe(200);
  });
});

describe('other requests', () => {
  it.each<[string, object, string]>([
    ['/v1/completions', { model: 'sandbox-chat' }, 'prompt'],
    ['/v1/completions', { model: 'sandbox-embed', prompt: 'x' }, 'model'],
    ['/v1/completions', { model: 'sandbox-chat', prompt: {} }, 'prompt'],
    ['/v1/completions', { model: 'sandbox-chat', prompt: [] }, 'prompt'],
    ['/v1/completions', { model: 'sandbox-chat', prompt: ['x', 1] }, 'prompt[1]'],
    ['/v1/completions', { model: 'sandbox-chat', prompt: [-1] }, 'prompt[0]'],
    ['/v1/completions', { model: 'sandbox-chat', prompt: 'x', max_tokens: 0 }, 'max_tokens'],
    ['/v1/embeddings', { ...EMBED, model: 'sandbox-chat' }, 'model'],
    ['/v1/embeddings', { ...EMBED, input: undefined }, 'input'],
    ['/v1/embeddings', { ...EMBED, input: [[]] }, 'input[0]'],
    ['/v1/embeddings', { ...EMBED, input: Array(2_049).fill('x') }, 'input'],
    ['/v1/embeddings', { ...EMBED, dimensions: 0 }, 'dimensions'],
    ['/v1/embeddings', { ...EMBED, encoding_format: 'hex' }, 'encoding_format'],
    ['/v1/embeddings', { ...EMBED, encoding_format: 1 }, 'encoding_format'],
  ])('requests to %s with %j are refused for %s', async (path, body, param) => {
    expect(await refusal(path, body)).toMatchObject({ status: 400, error: { param } });
  });

  it('unknown routes are 404, and wrong methods 405', async () => {
    expect(await refusal('/v1/nothing', '', 'GET')).toMatchObject({ status: 404 });
    expect(await refusal('/v1/chat/completions/', '{}')).toMatchObject({ status: 404 });
    expect(await refusal('/v1/models', '{}')).toMatchObject({
      status: 405,
      error: { code: 'method_not_allowed' },
    });
    expect(await refusal('/v1/chat/completions', '', 'GET')).toMatchObject({ status: 405 });
    const response = await fetch(`${engine.url}/_sandbox/reset`);
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('are routed by their path, whatever the query', async () => {
    expect((await fetch(`${engine.url}/v1/models?limit=1`)).status).toBe(200);
  });

  it('larger than 32 MiB are 413', async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const req = request(`${engine.url}/v1/chat/completions`, { method: 'POST' }, (res) => {
        resolve(res.statusCode);
        req.destroy();
      });
      req.on('error', reject);
      req.end(Buffer.alloc(33 * 1024 * 1024, ' '));
    });
    expect(status).toBe(413);
  });
});

describe('an engine with an API key', () => {
  it('rejects requests without it, except for health and control', async () => {
    const guarded = await startSandboxEngine({ port: 0, apiKey: 'secret' });
    try {
      const status = async (path: string, authorization?: string): Promise<number> =>
        (await fetch(guarded.url + path, authorization ? { headers: { authorization } } : {})).status;
      expect(await status('/v1/models')).toBe(401);
      expect(await status('/v1/models', 'Bearer wrong')).toBe(401);
      expect(await status('/v1/models', 'Basic secret')).toBe(401);
      expect(await status('/v1/models', 'bearer secret')).toBe(200);
      expect(await status('/healthz')).toBe(200);
      expect(await status('/_sandbox/served')).toBe(200);
    } finally {
      await guarded.close();
    }
  });
});
