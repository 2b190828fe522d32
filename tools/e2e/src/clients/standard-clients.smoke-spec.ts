import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { AgentClient } from '@inference/agent-client';
import {
  createTestDatabase,
  insertAccount,
  publishPrices,
  type TestDatabase,
  waitFor,
} from '@inference/testing';
import { EventSource } from 'eventsource';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { launchChromium } from '../site/chromium';
import { ClientPage } from './client-page';
import { InterruptingProxy } from '../site/interrupting-proxy';
import { findProgram, Nginx } from '../site/nginx';
import { ROOT, type ServiceProcess } from '../site/service-process';
import { Site } from '../site/site';

/** 30 words in a second and a half. */
const MODEL = 'sandbox-chat+delay-50+tokens-30';
/** A buffered stream arrives all at once. A longer gap between its first and last part shows that it was not buffered. */
const MIN_STREAM_MILLIS = 300;
/** Without `error`, because an EventSource uses that name for connection failures too. */
const KINDS = ['turn.started', 'delta', 'turn.completed', 'turn.cancelled'];

const curl = findProgram('curl');
const nginx = findProgram('nginx');
const browser = findProgram('chromium');
const ifThere = (program: string | undefined) => (program ? test : test.skip);

let database: TestDatabase;
let site: Site;
let page: ClientPage;
let agent: ServiceProcess;
let apiKey: string;
let client: AgentClient;
let sessions = 0;
const stops: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  await publishPrices(database.pool, [{ slug: MODEL, unit: 'per_million_tokens', ratePicos: 1_000n }]);
  ({ apiKey } = await insertAccount(database.pool, { balancePicos: 1_000_000_000_000n }));
  site = new Site(database);
  page = await ClientPage.start();
  const gateway = await site.startGateway(await site.startEngine());
  agent = await site.startAgent(gateway, { DEFAULT_MODEL: MODEL, CORS_ORIGINS: page.origin });
  client = new AgentClient({ baseUrl: agent.url, apiKey });
});

afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

afterAll(async () => {
  await page?.stop();
  await site?.stop();
  await database?.drop();
});

const newSession = () => `session-${(sessions += 1)}`;
const pathOf = (sessionId: string) => `/v1/agents/sessions/${sessionId}/events/stream`;
const BODY = JSON.stringify({ role: 'user', content: 'Hello' });
const headers = () => ({ authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' });

/** The text of the model's answer that the session has stored. */
async function keptText(sessionId: string): Promise<string> {
  const texts = [];
  for await (const event of client.events.list(sessionId))
    if (event.role === 'assistant') texts.push(event.content);
  expect(texts).toHaveLength(1);
  return texts[0]!;
}

interface Seen {
  at: number;
  text: string;
}

/** Runs `curl -N` with these arguments. Returns its output with the time of each part. */
async function runCurl(...args: string[]): Promise<Seen[]> {
  const child = spawn(curl!, ['-sSN', '-H', `Authorization: Bearer ${apiKey}`, ...args]);
  const seen: Seen[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => seen.push({ at: performance.now(), text }));
  const [code] = (await once(child, 'close')) as [number];
  expect(code).toBe(0);
  return seen;
}

const post = (url: string) => runCurl(url, '-H', 'Content-Type: application/json', '-d', BODY);

function parse(text: string): EventSourceMessage[] {
  const messages: EventSourceMessage[] = [];
  createParser({ onEvent: (message) => messages.push(message) }).feed(text);
  return messages;
}

const textOf = (messages: { event?: string | undefined; data: string }[]) =>
  messages
    .filter(({ event }) => event === 'delta')
    .map(({ data }) => (JSON.parse(data) as { content: string }).content)
    .join('');

async function expectUnbuffered(seen: Seen[], sessionId: string): Promise<EventSourceMessage[]> {
  const first = seen.find(({ text }) => text.includes('event: delta'))!;
  const last = seen.findLast(({ text }) => text.includes('event: turn.completed'))!;
  expect(last.at - first.at).toBeGreaterThan(MIN_STREAM_MILLIS);
  const messages = parse(seen.map(({ text }) => text).join(''));
  expect(textOf(messages)).toBe(await keptText(sessionId));
  return messages;
}

ifThere(curl)(
  'curl -N shows the answer as it is written, and the rest of it from a position on',
  async () => {
    const session = newSession();
    const messages = await expectUnbuffered(await post(`${agent.url}${pathOf(session)}`), session);

    const known = messages[2]!.id!;
    const resume = async (...args: string[]) =>
      parse((await runCurl(...args)).map(({ text }) => text).join('')).map(({ id, event, data }) => ({
        id,
        event,
        data,
      }));
    const rest = messages.slice(3).map(({ id, event, data }) => ({ id, event, data }));
    expect(await resume(`${agent.url}${pathOf(session)}`, '-H', `Last-Event-ID: ${known}`)).toEqual(rest);
    expect(await resume(`${agent.url}${pathOf(session)}?after=${known}`)).toEqual(rest);
  },
);

ifThere(nginx)('nginx as it comes passes on each piece at once', async () => {
  const proxy = await Nginx.start(nginx!, agent.url);
  stops.push(() => proxy.stop());
  const session = newSession();
  const response = await fetch(`${proxy.url}${pathOf(session)}`, {
    method: 'POST',
    headers: headers(),
    body: BODY,
  });
  const seen: Seen[] = [];
  for await (const text of response.body!.pipeThrough(new TextDecoderStream()))
    seen.push({ at: performance.now(), text });
  await expectUnbuffered(seen, session);
});

test('fetch and eventsource-parser read the stream', async () => {
  const session = newSession();
  const response = await fetch(`${agent.url}${pathOf(session)}`, {
    method: 'POST',
    headers: headers(),
    body: BODY,
  });
  const messages: EventSourceMessage[] = [];
  const events = response
    .body!.pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream());
  for await (const message of events) messages.push(message);
  expect(messages[0]!.event).toBe('turn.started');
  expect(messages.at(-1)).toMatchObject({ event: 'turn.completed', data: '{}' });
  expect(textOf(messages)).toBe(await keptText(session));
});

test('an EventSource resumes after an interruption, and stops at the end', async () => {
  const proxy = await InterruptingProxy.start(agent.url, [1_500, 1_700]);
  stops.push(() => proxy.stop());
  const session = newSession();
  await client.events.send(session, { role: 'user', content: 'Hello' });

  const source = new EventSource(`${proxy.url}${pathOf(session)}`, {
    fetch: (url, init) =>
      fetch(url, { ...init, headers: { ...init.headers, authorization: `Bearer ${apiKey}` } }),
  });
  stops.push(async () => source.close());
  const events: { event: string; id: string; data: string }[] = [];
  for (const event of KINDS) {
    source.addEventListener(event, ({ data, lastEventId: id }) => events.push({ event, id, data }));
  }
  await waitFor(() => source.readyState === EventSource.CLOSED);
  expect(proxy.cutsLeft).toBe(0);
  expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => `1.${index + 1}`));
  expect(events.at(-1)!.event).toBe('turn.completed');
  expect(textOf(events)).toBe(await keptText(session));
});

ifThere(browser)('a page of another origin streams, leaves and resumes', async () => {
  const chrome = await launchChromium(browser!);
  stops.push(() => chrome.close());
  const tab = await chrome.newPage();
  await tab.goto(page.origin);
  const session = newSession();
  const { parts, millis, refusal } = await tab.evaluate(
    async ({ baseUrl, key, sessionId }) => {
      const { AgentClient: Client } = await import('@inference/agent-client');
      const inPage = new Client({ baseUrl, apiKey: key });
      const left = inPage.stream(sessionId, { role: 'user', content: 'Hello' });
      let first = 0;
      for await (const event of left) {
        first ||= event.kind === 'delta' ? performance.now() : 0;
        if (event.id === '1.4') break;
      }
      const busy = inPage.stream(sessionId, { role: 'user', content: 'Hello' }).finalText();
      const turnOfRefusal = await busy.catch(({ status, turnId }: { status: number; turnId: string }) => ({
        status,
        turnId,
      }));
      const rest = await inPage.resume(sessionId, left.position).finalText();
      return { parts: [left.text, rest], millis: performance.now() - first, refusal: turnOfRefusal };
    },
    { baseUrl: agent.url, key: apiKey, sessionId: session },
  );
  expect(parts.join('')).toBe(await keptText(session));
  expect(parts[0]!.length).toBeGreaterThan(0);
  expect(millis).toBeGreaterThan(MIN_STREAM_MILLIS);
  expect(refusal).toEqual({ status: 409, turnId: expect.stringMatching(/^turn_/) });
});

test('the client package loses no stream event over repeated interruptions, with tool calls in between', async () => {
  const proxy = await InterruptingProxy.start(
    agent.url,
    [0, 40, 900, 1_300, 1_500, 1_100, 30, 0, 1_400, 1_600, 1_200],
  );
  stops.push(() => proxy.stop());
  const tools = [{ type: 'function', function: { name: 'clock' } } as const];
  const { id } = await client.sessions.create({ tools: [...tools] });
  const cut = new AgentClient({ baseUrl: proxy.url, apiKey, retry: { baseDelayMs: 10, maxDelayMs: 20 } });

  const stream = cut.run(id, 'Ask your tool', { tools: { clock: () => 'noon' } });
  const events: string[] = [];
  for await (const event of stream) events.push(event.id);
  expect(events).toEqual(events.map((_, index) => `1.${index + 1}`));
  const kept = [];
  for await (const { type, content } of client.events.list(id)) kept.push([type, content]);
  expect(kept.map(([type]) => type)).toEqual(['message', 'tool_calls', 'tool_result', 'message']);
  expect(stream.text).toBe(kept.at(-1)![1]);
  expect(proxy.cutsLeft).toBeLessThan(6);
});

test('a repeated run of the client package runs no tool twice', async () => {
  const tools = [{ type: 'function', function: { name: 'clock' } } as const];
  const { id } = await client.sessions.create({ tools: [...tools] });
  let rings = 0;
  const clock = () => `the ${(rings += 1)}. ring`;
  const run = () => client.run(id, 'Ask your tool', { tools: { clock }, idempotencyKey: 'the run' });
  let waits = 0;
  for await (const { kind } of run()) {
    if (kind === 'turn.requires_action') waits += 1;
    else if (waits > 0) break;
  }
  const text = await run().finalText();
  const kept = [];
  for await (const event of client.events.list(id)) kept.push(event);
  expect(kept.map(({ type }) => type)).toEqual(['message', 'tool_calls', 'tool_result', 'message']);
  expect([text, rings]).toEqual([kept.at(-1)!.content, 1]);
});

test('the example of the client package works', async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(ROOT, 'dist/packages/agent-client/example.mjs')],
    { env: { ...process.env, AGENT_URL: agent.url, API_KEY: apiKey } },
  );
  expect(stdout).toContain('— completed at 1.');
  expect(stdout).toContain('The model asks for the weather');
  expect(stdout).toMatch(/Left at 3\.\d+ with "/);
  expect(stdout).toMatch(/The rest: ".+"/);
  expect(stdout).toMatch(/^5\. tool, tool_result: /m);
});
