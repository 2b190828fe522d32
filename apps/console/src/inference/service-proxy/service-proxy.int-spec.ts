import { TestConsole } from '../../testing/console.fixture';
import { type ScriptedService } from '../scripted-service.fixture';
import {
  AGENT_CREDENTIAL,
  CHAT,
  environmentOf,
  ForwardingSite,
  GATEWAY_CREDENTIAL,
  SESSIONS,
} from './forwarding-site.fixture';

/** Requests that the console forwards to gateway and agent, and their answers. */

let forwarding: ForwardingSite;
let service: ScriptedService;

beforeAll(async () => {
  forwarding = await ForwardingSite.start();
  ({ service } = forwarding);
});
afterAll(() => forwarding.stop());

const ask: ForwardingSite['ask'] = (...args) => forwarding.ask(...args);

describe('a forwarded request', () => {
  it('has the credential of the console, names the account, and has the body byte for byte', async () => {
    service.answersJson(200, { choices: [] });
    const raw = '{"model": "m",  "temperature": 1.10, "seed": 12345678901234567890}';
    const headers = {
      Accept: 'text/event-stream',
      Cookie: 'session=stolen',
      'X-Entrypoint': 'gateway',
      'X-On-Behalf-Of': 'acct_other',
      'X-On-Behalf-Of-Key': 'key_other',
      'X-Request-Id': 'from-the-page',
    };
    expect((await ask('POST', CHAT, { raw, headers })).status).toBe(200);
    const [seen] = service.requests;
    expect(seen).toMatchObject({ method: 'POST', url: '/v1/chat/completions', body: raw });
    expect(seen!.headers).toMatchObject({
      authorization: `Bearer ${GATEWAY_CREDENTIAL}`,
      'x-on-behalf-of': forwarding.account.accountId,
      'content-type': 'application/json',
      accept: 'text/event-stream',
      'x-request-id': 'from-the-page',
    });
    for (const name of ['cookie', 'x-entrypoint', 'x-on-behalf-of-key', 'x-forwarded-for'])
      expect(seen!.headers).not.toHaveProperty(name);
    expect(JSON.stringify(seen)).not.toContain(forwarding.account.token);
  });

  it.each([
    ['POST', '/api/playground/estimate', '/v1/chat/completions/estimate'],
    ['GET', '/api/playground/models', '/v1/models'],
  ])('%s %s goes to %s of the gateway', async (method, path, url) => {
    service.answersJson(400, { error: { message: 'no' } });
    await ask(method, path, method === 'POST' ? { json: {} } : {});
    expect(service.requests).toMatchObject([{ method, url }]);
  });

  it.each([
    ['POST', '', ''],
    ['GET', '?limit=7&cursor=a%3D', '?limit=7&cursor=a%3D'],
    ['GET', '/a:b', '/a%3Ab'],
    ['GET', '/a%2Fb', '/a%2Fb'],
    ['DELETE', '/a', '/a'],
    ['POST', '/a/cancel', '/a/cancel'],
    ['POST', '/a/events?on_busy=enqueue', '/a/events?on_busy=enqueue'],
    ['GET', '/a/events?after=3&limit=2', '/a/events?after=3&limit=2'],
    ['GET', '/a/events/evt_1', '/a/events/evt_1'],
    ['POST', '/a/events/stream?on_busy=interrupt', '/a/events/stream?on_busy=interrupt'],
    ['GET', '/a/events/stream?after=1.2', '/a/events/stream?after=1.2'],
  ])('%s /api/agents/sessions%s goes to the agent service', async (method, path, url) => {
    service.answersJson(400, { error: 'no' });
    const { status } = await ask(method, SESSIONS + path, method === 'POST' ? { json: {} } : {});
    expect(status).toBe(400);
    expect(service.requests).toMatchObject([{ method, url: `/base/v1/agents/sessions${url}` }]);
    expect(service.requests[0]!.headers).toMatchObject({
      authorization: `Bearer ${AGENT_CREDENTIAL}`,
      'x-on-behalf-of': forwarding.account.accountId,
    });
  });

  it('keeps the headers with which a client repeats and resumes', async () => {
    service.answersJson(410, { error: 'the stream is not stored any more' });
    const headers = { 'Idempotency-Key': 'again' };
    await ask('POST', `${SESSIONS}/a/events`, { json: {}, headers });
    expect(service.requests[0]!.headers).toMatchObject({ 'idempotency-key': 'again' });
    await ask('GET', `${SESSIONS}/a/events/stream`, { headers: { 'Last-Event-ID': '3.17' } });
    expect(service.requests[1]!.headers).toMatchObject({ 'last-event-id': '3.17' });
  });

  it.each([`${SESSIONS}?token=x`, `${SESSIONS}/a/events?limit=0`, '/api/playground/models?any=1'])(
    'with unknown or invalid parameters is refused here: %s',
    async (path) => {
      service.answersJson(200, {});
      expect((await ask('GET', path)).status).toBe(400);
      expect(service.requests).toEqual([]);
    },
  );
});

describe('an answer', () => {
  it('keeps status, body and the headers that matter, and no other', async () => {
    service.answersJson(
      200,
      { choices: [] },
      {
        'X-Inference-Request-Id': 'req_1',
        'Cache-Control': 'no-store',
        'RateLimit-Remaining': '7',
        'X-RateLimit-Reset-Tokens': '59.5s',
        'Set-Cookie': 'session=of-the-service',
        Server: 'nginx',
      },
    );
    const { status, text, headers } = await ask('POST', CHAT, { json: {} });
    expect([status, text]).toEqual([200, '{"choices":[]}']);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-inference-request-id': 'req_1',
      'cache-control': 'no-store',
      'ratelimit-remaining': '7',
      'x-ratelimit-reset-tokens': '59.5s',
    });
    expect(headers.has('set-cookie')).toBe(false);
    expect(headers.has('server')).toBe(false);
  });

  it('may have no body', async () => {
    service.answers((_request, response) => void response.writeHead(204).end());
    expect(await ask('DELETE', `${SESSIONS}/a`)).toMatchObject({ status: 204, text: '' });
  });

  it.each([400, 402, 403, 404, 413, 422, 429, 500, 502, 503, 504])(
    'that is an error of the gateway, %d, has the shape of the console',
    async (status) => {
      const told = { code: 'the_code', param: 'max_tokens', limit: 'account_concurrency' };
      const error = { message: 'The reason.', type: 'x', ...told };
      service.answersJson(status, { error }, { 'Retry-After': '3' });
      const answer = await ask('POST', CHAT, { json: {} });
      expect(answer.status).toBe(status);
      expect(answer.body).toEqual({ error: 'The reason.', ...told });
      expect(answer.headers.get('retry-after')).toBe('3');
    },
  );

  it('that no gateway has written is an error too', async () => {
    service.answers((_request, response) => {
      response.writeHead(502, { 'Content-Type': 'text/html' }).end('<h1>Bad Gateway</h1>');
    });
    const answer = await ask('POST', CHAT, { json: {} });
    expect(answer).toMatchObject({ status: 502, body: { error: 'the gateway answered 502' } });
  });

  it.each([400, 402, 403, 404, 409, 410, 413, 422, 429, 500, 502, 503, 504])(
    'that is an error of the agent service, %d, passes unchanged',
    async (status) => {
      const body = { error: 'The reason.', code: 'the_code', turn_id: 'turn_1' };
      service.answersJson(status, body, { 'Retry-After': '3' });
      const answer = await ask('POST', `${SESSIONS}/a/events`, { json: {} });
      expect(answer).toMatchObject({ status, body });
      expect(answer.headers.get('retry-after')).toBe('3');
    },
  );

  it('401 is never the end of the session: it is 503', async () => {
    service.answersJson(401, { error: { message: 'no', code: 'invalid_api_key' } });
    const chat = await ask('POST', CHAT, { json: {} });
    expect(chat).toMatchObject({ status: 503, body: { code: 'gateway_unavailable' } });
    expect(chat.headers.has('www-authenticate')).toBe(false);
    const events = await ask('POST', `${SESSIONS}/a/events`, { json: {} });
    expect(events).toMatchObject({ status: 503, body: { code: 'agent_unavailable' } });
  });
});

describe('without a service', () => {
  const cases = [
    [CHAT, 'gateway'],
    [`${SESSIONS}/a/events`, 'agent'],
  ] as const;

  it.each(cases)('%s is 503', async (path, name) => {
    const console = await forwarding.startConsole(environmentOf('http://127.0.0.1:9'));
    const { status, body, headers } = await ask('POST', path, { json: {} }, console);
    await console.close();
    expect([status, body]).toEqual([
      503,
      { error: `the ${name} is not available now`, code: `${name}_unavailable` },
    ]);
    expect(headers.get('retry-after')).toBe('1');
  });

  it.each(cases)('%s is 504 if it accepts the request and is silent', async (path, name) => {
    service.answers(() => undefined);
    const console = await forwarding.startConsole({ MODEL_SILENCE_TIMEOUT_SECONDS: '0.2' });
    const { status, body } = await ask('POST', path, { json: {} }, console);
    await console.close();
    expect([status, body]).toMatchObject([504, { code: `${name}_timeout` }]);
  });

  it.each(cases)('%s is 404 if the site has not configured it', async (path) => {
    const console = await TestConsole.start(forwarding.site.database.urlFor('console'));
    const { status, body } = await ask('POST', path, { json: {} }, console);
    await console.close();
    expect([status, body]).toMatchObject([404, { code: 'not_offered' }]);
  });
});
