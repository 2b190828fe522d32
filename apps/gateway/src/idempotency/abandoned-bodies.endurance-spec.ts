import { type Server, type ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { waitFor } from '@inference/testing';
import { RATES, type ScriptedUpstream, startUpstream, TestSite } from '../testing/gateway.fixture';

/** The least that a gateway may have, of which an account has a quarter. */
const MEMORY_BYTES = 128 * 2 ** 20;
/** A third of that quarter, nearly. */
const TEXT = 'A'.repeat(10 * 2 ** 20);
const REFUSAL = JSON.stringify({
  error: { message: 'No.', type: 'invalid_request_error', param: null, code: null },
});
const CHAT = '/v1/chat/completions';
const IN_CLAIM = 'while its key is claimed';

/** The fields of a large request to each endpoint that keeps calls for their keys; `file` is that of a form. */
const LARGE: Record<string, Record<string, unknown>> = {
  [CHAT]: {
    messages: [
      {
        role: 'user',
        content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${TEXT}` } }],
      },
    ],
  },
  '/v1/embeddings': { input: TEXT },
  '/v1/rerank': { query: 'a', documents: [TEXT] },
  '/v1/images/generations': { prompt: TEXT },
  '/v1/audio/speech': { input: 'a', instructions: TEXT },
  '/v1/moderations': { input: TEXT },
  '/v1/audio/transcriptions': { file: TEXT },
  '/v1/audio/translations': { file: TEXT },
};

let upstream: ScriptedUpstream;
let site: TestSite;
/** Calls that the upstream has not answered yet. */
const waiting: ServerResponse[] = [];

beforeAll(async () => {
  upstream = await startUpstream((_request, response) => void waiting.push(response));
  site = await TestSite.start(
    { m: [...RATES, { unit: 'per_request', ratePicos: 1n }] },
    { BODY_MEMORY_BYTES: String(MEMORY_BYTES) },
    () => [{ name: 'u', base_url: upstream.url }],
  );
});
afterEach(() => waiting.splice(0).forEach((response) => response.destroy()));
afterAll(async () => {
  await upstream.close();
  await site.stop();
});

/** What fetch makes the body of. */
function bodyOf(path: string): { body: string | FormData; headers: Record<string, string> } {
  const { file, ...fields } = LARGE[path]!;
  if (file === undefined)
    return {
      body: JSON.stringify({ model: 'm', ...fields }),
      headers: { 'Content-Type': 'application/json' },
    };
  const form = new FormData();
  form.set('model', 'm');
  form.set('file', new Blob([file as string]), 'speech.wav');
  return { body: form, headers: {} };
}

it.each([[CHAT, IN_CLAIM], ...Object.keys(LARGE).map((path) => [path, 'when an upstream works for it'])] as [
  string,
  string,
][])(
  'a call of %s whose client leaves %s holds the memory of its body until it ends',
  async (path, moment) => {
    const { apiKey } = await site.account();
    const { body, headers } = bodyOf(path);
    const send = (key: string, signal?: AbortSignal) =>
      fetch(site.gateway.url + path, {
        method: 'POST',
        headers: { ...headers, Authorization: `Bearer ${apiKey}`, 'Idempotency-Key': key },
        body,
        ...(signal && { signal }),
      });
    const isAsked = (count: number) => waitFor(() => Promise.resolve(waiting.length === count));
    const leave = async (key: string, isDue: () => Promise<unknown>) => {
      const client = new AbortController();
      const left = send(key, client.signal);
      await isDue();
      client.abort();
      await expect(left).rejects.toThrow('aborted');
    };
    if (moment === IN_CLAIM) {
      const server = site.gateway.app.getHttpServer() as Server;
      const connections = () => promisify(server.getConnections.bind(server))();
      const before = await connections();
      const lock = await site.pool.connect();
      await lock.query('BEGIN; LOCK TABLE metering.idempotent_calls');
      await leave('one', () =>
        waitFor(async () => {
          const { rowCount } = await site.pool.query(
            "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%claim_call%'",
          );
          return rowCount === 1;
        }),
      );
      await waitFor(async () => (await connections()) === before);
      await lock.query('COMMIT');
      lock.release();
      await isAsked(1);
    } else await leave('one', () => isAsked(1));
    await leave('two', () => isAsked(2));
    await leave('three', () => isAsked(3));
    const refused = send('four');
    await Promise.race([refused, isAsked(4)]);
    expect(waiting.length).toBe(3);
    expect((await refused).status).toBe(429);
    // A refusal of the model's server, which ends the calls for nothing.
    const refuse = (response: ServerResponse) => response.writeHead(400).end(REFUSAL);
    waiting.splice(0).forEach(refuse);
    const last = await waitFor(async () => {
      const again = send('four');
      const isAdmitted = await Promise.race([again.then(() => false), isAsked(1)]);
      return isAdmitted ? { again } : undefined;
    });
    waiting.splice(0).forEach(refuse);
    expect((await last.again).status).toBe(400);
  },
);
