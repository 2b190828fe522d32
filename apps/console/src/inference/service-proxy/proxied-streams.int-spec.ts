import { once } from 'node:events';
import { get, type IncomingMessage, type ServerResponse } from 'node:http';
import { metricsOf, waitFor } from '@inference/testing';
import { type ScriptedService } from '../scripted-service.fixture';
import { CHAT, ForwardingSite, SESSIONS } from './forwarding-site.fixture';

/** Answers that arrive in pieces. */

const STREAM = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache, no-transform' };
const CHUNK = 'data: {"choices":[]}\n\n';
/** More than all buffers on the way hold together. */
const LARGE_BYTES = 256 * 1024 * 1024;

let forwarding: ForwardingSite;
let service: ScriptedService;
let url: string;

beforeAll(async () => {
  forwarding = await ForwardingSite.start();
  ({ service } = forwarding);
  ({ url } = forwarding.site.console);
});
afterAll(() => forwarding.stop());

const open: ForwardingSite['open'] = (...args) => forwarding.open(...args);

async function forwardedNow(): Promise<number> {
  const metrics = await metricsOf(forwarding.site.console.app);
  return [...metrics.matchAll(/^console_forwarded_requests\{.*\} (\d+)$/gm)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  );
}

describe('a stream', () => {
  it.each([CHAT, `${SESSIONS}/a/events/stream`])('%s arrives while it is produced', async (path) => {
    let sendRest = () => {};
    service.answers((_request, response) => {
      response.writeHead(200, { ...STREAM, 'X-Accel-Buffering': 'no' }).write(': begins\n\n');
      sendRest = () => void response.end(': ends\n\n');
    });
    const response = await open(path);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    });
    const reader = response.body!.getReader();
    const decoder = new TextDecoder();
    expect(decoder.decode((await reader.read()).value)).toBe(': begins\n\n');
    // The service sends this only because the client has the beginning.
    sendRest();
    expect(decoder.decode((await reader.read()).value)).toBe(': ends\n\n');
    expect((await reader.read()).done).toBe(true);
    await waitFor(async () => (await forwardedNow()) === 0);
  });

  it('ends at the service when the client disconnects, before the answer and in the middle', async () => {
    let closed: Promise<unknown> = Promise.resolve();
    const whenAsked = (begin: (response: ServerResponse) => void) =>
      new Promise<void>((resolve) =>
        service.answers((_request, response) => {
          closed = once(response, 'close');
          begin(response);
          resolve();
        }),
      );
    const early = new AbortController();
    const asked = whenAsked(() => undefined);
    const refused = expect(open(CHAT, url, early.signal)).rejects.toThrow();
    await asked;
    early.abort();
    await refused;
    await closed;

    void whenAsked((response) => response.writeHead(200, STREAM).write(CHUNK));
    const late = new AbortController();
    const response = await open(CHAT, url, late.signal);
    await response.body!.getReader().read();
    late.abort();
    await closed;
    await waitFor(async () => (await forwardedNow()) === 0);
  });

  it('that the service breaks off is broken off for the client', async () => {
    service.answers((_request, response) => {
      response.writeHead(200, STREAM).write(CHUNK, () => response.destroy());
    });
    const response = await open(CHAT);
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
  });

  it('is not read faster than the client reads it', async () => {
    let writtenBytes = 0;
    service.answers(async (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/octet-stream' });
      const piece = Buffer.alloc(65_536, ' ');
      const closed = once(response, 'close');
      while (writtenBytes < LARGE_BYTES && !response.destroyed) {
        writtenBytes += piece.length;
        if (!response.write(piece)) await Promise.race([once(response, 'drain'), closed]);
      }
      response.end();
    });
    const headers = { Authorization: `Bearer ${forwarding.account.token}` };
    const request = get(`${url}/api/playground/models`, { headers });
    request.on('error', () => undefined);
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    answer.pause();
    let before = -1;
    await waitFor(async () => {
      if (writtenBytes > 0 && writtenBytes === before) return true;
      before = writtenBytes;
      await new Promise((resolve) => setTimeout(resolve, 200));
      return false;
    });
    const whilePausedBytes = writtenBytes;
    expect(whilePausedBytes).toBeLessThan(LARGE_BYTES / 2);
    answer.resume();
    await waitFor(() => writtenBytes > whilePausedBytes);
    request.destroy();
  });
});

describe('a shutdown', () => {
  /** A console whose service has begun an answer, and the function that ends it. */
  async function withRunningAnswer(graceSeconds: string) {
    const console = await forwarding.startConsole({ SHUTDOWN_GRACE_SECONDS: graceSeconds });
    let finish = () => {};
    service.answers((_request, response) => {
      response.writeHead(200, STREAM).write(CHUNK);
      finish = () => void response.end(CHUNK);
    });
    const response = await open(CHAT, console.url);
    return { console, response, finish };
  }

  it('finishes the answers in flight', async () => {
    const { console, response, finish } = await withRunningAnswer('60');
    const closed = console.close();
    await waitFor(() =>
      fetch(`${console.url}/healthz`).then(
        () => false,
        () => true,
      ),
    );
    finish();
    expect(await response.text()).toBe(CHUNK + CHUNK);
    await closed;
  });

  it('cuts them off after the grace period', async () => {
    const { console, response } = await withRunningAnswer('0');
    const broken = expect(response.text()).rejects.toThrow();
    await console.close();
    await broken;
  });
});
