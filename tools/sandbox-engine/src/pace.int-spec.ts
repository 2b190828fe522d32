import { connect } from 'node:net';
import type OpenAI from 'openai';
import { type SandboxEngine, startSandboxEngine } from './index';
import {
  PROMPT_TOKENS,
  readAll,
  TestClient,
  withSandboxHeader,
  tokensIn,
  until,
} from './test-client.fixture';

const NOTHING = { prompt_tokens: 0, completion_tokens: 0 };

let engine: SandboxEngine;
let client: TestClient;

beforeEach(async () => {
  engine = await startSandboxEngine({ port: 0 });
  client = new TestClient(engine.url);
});
afterEach(() => engine.close());

describe('length and pace', () => {
  it('tokens: sets the length of the answer, which a limit still cuts', async () => {
    const usage = async (model: string, extra?: object): Promise<unknown> => {
      const answer = (await (await client.post(model, extra)).json()) as OpenAI.ChatCompletion;
      return [answer.usage?.completion_tokens, answer.choices[0]?.finish_reason];
    };
    expect(await usage('sandbox-chat+tokens=200')).toEqual([200, 'stop']);
    expect(await usage('sandbox-chat+tokens=200', { max_tokens: 150 })).toEqual([150, 'length']);
    expect(await usage('sandbox-chat+tokens=5', { max_tokens: 150 })).toEqual([5, 'stop']);
    expect(await usage('sandbox-chat+tokens=0')).toEqual([0, 'stop']);
  });

  it('delay and first-delay: delay the tokens, with and without streaming', async () => {
    for (const stream of [false, true]) {
      const started = performance.now();
      const response = await client.post(
        'sandbox-chat',
        { stream },
        withSandboxHeader('first-delay=100; delay=30; tokens=5'),
      );
      const headersAfterMs = performance.now() - started;
      const { text } = await readAll(response);
      expect(headersAfterMs).toBeGreaterThan(95);
      expect(performance.now() - started).toBeGreaterThan(200);
      if (stream) expect(tokensIn(text)).toBe(5);
    }
  });

  it('delay: sends each token when it is due', async () => {
    const { reads } = await readAll(await client.post('sandbox-chat+delay-100+tokens-6', { stream: true }));
    expect(reads).toBeGreaterThanOrEqual(3);
  });

  it('delay=0: writes every token by itself, without waiting', async () => {
    const { text } = await readAll(await client.post('sandbox-chat+delay=0+tokens=50', { stream: true }));
    expect(tokensIn(text)).toBe(50);
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  it('tokensPerSecond: paces streams that have no delay of their own', async () => {
    const paced = await startSandboxEngine({ port: 0, tokensPerSecond: 100 });
    const own = new TestClient(paced.url);
    const timeOf = async (model: string, stream: boolean) => {
      const started = performance.now();
      const { reads, text } = await readAll(await own.post(model, { stream, max_tokens: 64 }));
      return { ms: performance.now() - started, reads, tokens: tokensIn(text) };
    };
    const { ms, reads, tokens } = await timeOf('sandbox-chat', true);
    expect(tokens).toBe(64);
    expect(ms).toBeGreaterThan(550);
    // Reads of two tokens are possible on a busy machine.
    expect(reads).toBeGreaterThan(32);
    expect((await timeOf('sandbox-chat+delay=0', true)).ms).toBeLessThan(ms);
    expect((await timeOf('sandbox-chat', false)).ms).toBeLessThan(ms);
    await paced.close();
  });

  it('slow: is a longer wait and then a pace', async () => {
    const started = performance.now();
    await readAll(await client.post('sandbox-chat+slow+tokens=3', { stream: true }));
    expect(performance.now() - started).toBeGreaterThan(580);
  });

  it('stops producing and counting when the client disconnects', async () => {
    const leave = new AbortController();
    const extra = { stream: true };
    const response = await client.post('sandbox-chat+tokens=500+delay=20', extra, { signal: leave.signal });
    await response.body?.getReader().read();
    leave.abort();
    await until(() => engine.served().aborted === 1);
    const atLeave = engine.served();
    expect(atLeave.completion_tokens).toBeLessThan(500);
    await readAll(await client.post('sandbox-chat+tokens=5+delay=20', extra));
    expect(engine.served()).toEqual({
      requests: 2,
      prompt_tokens: atLeave.prompt_tokens + PROMPT_TOKENS,
      completion_tokens: atLeave.completion_tokens + 5,
      aborted: 1,
    });
  });

  it('counts no token of an answer without streaming if the client disconnects', async () => {
    const leave = new AbortController();
    const asked = client.post('sandbox-chat+delay=1000', {}, { signal: leave.signal });
    await until(() => engine.served().requests === 1);
    leave.abort();
    await expect(asked).rejects.toThrow();
    await until(() => engine.served().aborted === 1);
    expect(engine.served()).toEqual({ requests: 1, ...NOTHING, aborted: 1 });
  });

  it('waits for a client that reads slowly', async () => {
    const { hostname, port } = new URL(engine.url);
    const body = JSON.stringify({
      model: 'sandbox-chat+tokens=100000',
      stream: true,
      messages: [{ role: 'user', content: 'x' }],
    });
    const socket = connect({ host: hostname, port: Number(port) });
    socket.pause();
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    let previous = -1;
    let lastChange = Date.now();
    await until(() => {
      const { completion_tokens: count } = engine.served();
      if (count !== previous) lastChange = Date.now();
      previous = count;
      return count > 0 && Date.now() - lastChange > 300;
    });
    expect(previous).toBeLessThan(100_000);
    socket.destroy();
    await until(() => engine.served().aborted === 1);
  });
});
