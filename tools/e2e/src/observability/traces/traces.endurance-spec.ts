import { waitFor } from '@inference/testing';
import { MemoCaller } from '../../memo/memo-calls';
import { type ServiceProcess } from '../../site/service-process';
import {
  chatBody,
  expectChain,
  FAILING_MODEL,
  MODEL,
  newTrace,
  PROMPT,
  requestLines,
  send,
  SLOW_MODEL,
  spansOf,
  TracedSite,
} from './traced-site.fixture';

const CHAT = '/v1/chat/completions';
/** The pauses of the engine between the first and the last token of the slow model. */
const SLOW_MILLIS = 9 * 50;

let traced: TracedSite;
let caller: { accountId: string; apiKey: string; token: string };
let consoleApp: ServiceProcess;
let gateway: ServiceProcess;
let memo: ServiceProcess;
let training: ServiceProcess;
let routerCost: ServiceProcess;

beforeAll(async () => {
  traced = await TracedSite.start();
  const { site, environment } = traced;
  gateway = await traced.startGateway();
  routerCost = await site.startPlain('router-cost', environment);
  consoleApp = await site.startConsole({
    ...environment,
    GATEWAY_URL: gateway.url,
  });
  memo = await site.startMemo(gateway, { ...environment, CHAT_MODEL: MODEL });
  training = await site.startPlain('training', environment);
  caller = await traced.signIn();
});

afterAll(() => traced?.stop());

const withKey = () => ({ Authorization: `Bearer ${caller.apiKey}` });
const withSession = () => ({ Authorization: `Bearer ${caller.token}` });

test('a chat in the console is one trace through the gateway to the upstream', async () => {
  const trace = newTrace();
  const response = await send(consoleApp, '/api/playground/chat/completions', chatBody(), {
    ...withSession(),
    traceparent: trace.traceparent,
  });
  const { usage } = (await response.json()) as { usage: Record<string, number> };
  const spans = await spansOf(traced.receiver, trace, [
    'console server',
    'console client',
    'gateway server',
    'gateway client',
  ]);
  const upstreamCall = spans['gateway client']!;
  expectChain(trace, [
    spans['console server'],
    spans['console client'],
    spans['gateway server'],
    upstreamCall,
  ]);
  expect(traced.upstream.traceparents).toContain(`00-${trace.traceId}-${upstreamCall.spanId}-01`);
  expect(spans['console server']).toMatchObject({
    name: 'POST /api/playground/chat/completions',
    failed: false,
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/api/playground/chat/completions',
      'http.response.status_code': 200,
      'url.path': '/api/playground/chat/completions',
    },
  });
  expect(spans['console client']).toMatchObject({
    name: 'POST',
    attributes: {
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(gateway.url).port),
      'url.full': gateway.url + CHAT,
      'http.response.status_code': 200,
    },
  });
  expect(spans['gateway server']).toMatchObject({
    name: `POST ${CHAT}`,
    attributes: { 'http.route': CHAT, 'http.response.status_code': 200 },
  });
  expect(upstreamCall).toMatchObject({
    name: `POST ${CHAT}`,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'sandbox',
      'gen_ai.request.model': MODEL,
      'gen_ai.usage.input_tokens': usage.prompt_tokens,
      'gen_ai.usage.output_tokens': usage.completion_tokens,
      'http.response.status_code': 200,
    },
  });
  for (const [service, path] of [
    [consoleApp, '/api/playground/chat/completions'],
    [gateway, CHAT],
  ] as const) {
    const { spanId } = spans[`${service.name} server`]!;
    const line = await waitFor(() =>
      requestLines(service, path).find(({ trace_id: id }) => id === trace.traceId),
    );
    expect(line).toMatchObject({ trace_id: trace.traceId, span_id: spanId, msg: 'request completed' });
  }
});

test('the spans of a stream last until its end', async () => {
  const trace = newTrace();
  const response = await send(gateway, CHAT, chatBody(SLOW_MODEL, true), {
    ...withKey(),
    traceparent: trace.traceparent,
  });
  const reader = response.body!.getReader();
  await reader.read();
  const firstChunkAt = Date.now();
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read());
  const spans = await spansOf(traced.receiver, trace, ['gateway server', 'gateway client']);
  for (const span of Object.values(spans))
    expect(span.endMillis - firstChunkAt).toBeGreaterThan(SLOW_MILLIS / 2);
  expect(spans['gateway client']).toMatchObject({ attributes: { 'gen_ai.usage.output_tokens': 10 } });
});

test('a failure of the upstream is in the spans, and the log line about it names the span', async () => {
  const trace = newTrace();
  const response = await send(gateway, CHAT, chatBody(FAILING_MODEL), {
    ...withKey(),
    traceparent: trace.traceparent,
  });
  expect(response.status).toBe(502);
  const spans = await spansOf(traced.receiver, trace, ['gateway server', 'gateway client']);
  for (const [name, status] of [
    ['gateway client', 500],
    ['gateway server', 502],
  ] as const)
    expect(spans[name]).toMatchObject({
      failed: true,
      attributes: { 'error.type': String(status), 'http.response.status_code': status },
    });
  const warning = gateway.output.split('\n').find((line) => line.includes('answered 500'))!;
  expect(JSON.parse(warning)).toMatchObject({
    trace_id: trace.traceId,
    span_id: spans['gateway server']!.spanId,
  });
});

test('a stream that its client leaves shows what was produced', async () => {
  const trace = newTrace();
  const leaving = new AbortController();
  const response = await fetch(gateway.url + CHAT, {
    method: 'POST',
    headers: { ...withKey(), 'Content-Type': 'application/json', traceparent: trace.traceparent },
    body: JSON.stringify(chatBody(SLOW_MODEL, true)),
    signal: leaving.signal,
  });
  await response.body!.getReader().read();
  leaving.abort();
  const spans = await spansOf(traced.receiver, trace, ['gateway server', 'gateway client']);
  expect(spans['gateway client']).toMatchObject({
    failed: true,
    attributes: { 'error.type': 'disconnected', 'gen_ai.usage.output_tokens': expect.any(Number) as number },
  });
});

test('an answer of memo is one trace with its call of the model', async () => {
  const owner = new MemoCaller(memo.url, withSession());
  const workspace = await owner.newWorkspace();
  await owner.addDocument(workspace, { title: 'Harbour', text: 'The harbour by the sea opens at nine.' });
  const trace = newTrace();
  const response = await send(
    memo,
    `/v1/workspaces/${workspace}/chat`,
    { query: 'When does the harbour open?' },
    { ...withSession(), traceparent: trace.traceparent },
  );
  expect(await response.text()).toContain('Citations:');
  const names = ['memo server', 'memo client', 'gateway server', 'gateway client'];
  const spans = await spansOf(traced.receiver, trace, names);
  expectChain(
    trace,
    names.map((name) => spans[name]),
  );
  expect(spans['memo server']).toMatchObject({ name: 'POST /v1/workspaces/:workspace_id/chat' });
});

test('training and router-cost continue a trace, too', async () => {
  for (const [service, path] of [
    [training, '/v1/capabilities'],
    [routerCost, '/v1/router/cost'],
  ] as const) {
    const trace = newTrace();
    const response = await send(service, `${path}?x=`, undefined, {
      ...withKey(),
      traceparent: trace.traceparent,
    });
    expect(response.status).toBe(400);
    const [span] = await traced.receiver.trace(trace.traceId, 1);
    expect(span).toMatchObject({
      service: service.name,
      parentSpanId: trace.spanId,
      name: `GET ${path}`,
      failed: false,
      attributes: { 'url.path': path, 'http.response.status_code': 400 },
    });
  }
});

test('the public keys of sessions are fetched in traces that the services begin themselves', async () => {
  const path = '/.well-known/jwks.json';
  const calls = await waitFor(() => {
    const found = traced.receiver.spans.filter(
      ({ kind, attributes }) => kind === 'client' && attributes['url.template'] === path,
    );
    return (
      ['memo', 'training', 'router-cost'].every((name) => found.some(({ service }) => service === name)) &&
      found
    );
  });
  for (const { parentSpanId, attributes } of calls)
    expect([parentSpanId, attributes['url.full']]).toEqual(['', consoleApp.url + path]);
});

test('a malformed traceparent is ignored, and the request begins a trace', async () => {
  const { traceId, spanId } = newTrace();
  const malformed = [
    'x',
    `00-${traceId}-${spanId}`,
    `ff-${traceId}-${spanId}-01`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId}-${spanId}-01-more`,
    `${'0'.repeat(4_000)}`,
  ];
  for (const traceparent of malformed) {
    const response = await send(gateway, CHAT, chatBody(), { ...withKey(), traceparent });
    expect(response.status).toBe(200);
  }
  const passedOn = traced.upstream.traceparents.slice(-malformed.length).map(String);
  for (const traceparent of passedOn) {
    expect(traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    const [, id = ''] = traceparent.split('-');
    expect(id).not.toBe(traceId);
    const spans = await traced.receiver.trace(id, 2);
    expect(spans.find(({ kind }) => kind === 'server')).toMatchObject({
      service: 'gateway',
      parentSpanId: '',
    });
  }
});

test('a caller that does not sample is followed: its trace is passed on, and not sent', async () => {
  const unsampled = newTrace('00');
  const sampled = newTrace();
  for (const { traceparent } of [unsampled, sampled])
    await send(gateway, CHAT, chatBody(), { ...withKey(), traceparent });
  await traced.receiver.trace(sampled.traceId, 2);
  expect(
    await waitFor(() => requestLines(gateway, CHAT).some((line) => line.trace_id === unsampled.traceId)),
  );
  expect(traced.receiver.spans.filter(({ traceId }) => traceId === unsampled.traceId)).toEqual([]);
  const passedOn = traced.upstream.traceparents.filter((value) => value?.includes(unsampled.traceId));
  expect(passedOn).toEqual([expect.stringMatching(/-00$/)]);
});

test('probes are not traced, and the receiver gets its credential', async () => {
  await fetch(`${gateway.url}/healthz`);
  const trace = newTrace();
  await send(gateway, CHAT, chatBody(), { ...withKey(), traceparent: trace.traceparent });
  await traced.receiver.trace(trace.traceId, 2);
  expect(traced.receiver.spans.filter(({ attributes }) => attributes['url.path'] === '/healthz')).toEqual([]);
  expect([...traced.receiver.credentials]).toEqual([`Bearer ${traced.credential}`]);
});

test('no span contains a prompt, a credential or an address', () => {
  const sent = traced.receiver.bodies.join('\n');
  expect(sent).toContain(CHAT);
  const secrets = [PROMPT, 'harbour', 'Bearer', caller.apiKey, caller.token, traced.credential, '@'];
  expect(secrets.filter((secret) => sent.includes(secret))).toEqual([]);
});

test('the last spans are sent before a service ends', async () => {
  const other = await traced.startGateway();
  const trace = newTrace();
  const response = await send(other, CHAT, chatBody(), { ...withKey(), traceparent: trace.traceparent });
  expect(response.status).toBe(200);
  await response.text();
  expect(await other.stop()).toBe(true);
  const names = traced.receiver.spans
    .filter(({ traceId }) => traceId === trace.traceId)
    .map(({ kind }) => kind);
  expect(names.sort()).toEqual(['client', 'server']);
});
