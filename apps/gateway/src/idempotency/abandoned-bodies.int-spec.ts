import { type Server, type ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { waitFor } from '@inference/testing';
import { answer } from '../protocols/scripted-chat.fixture';
import { RATES, type ScriptedUpstream, startUpstream, TestSite } from '../testing/gateway.fixture';

/** A third of what one account may hold, nearly. */
const PICTURE_BYTES = 20 * 2 ** 20;

let upstream: ScriptedUpstream;
let site: TestSite;
/** Calls that the upstream has not answered yet. */
const waiting: ServerResponse[] = [];

beforeAll(async () => {
  upstream = await startUpstream((_request, response) => void waiting.push(response));
  site = await TestSite.start({ m: RATES }, {}, () => [{ name: 'u', base_url: upstream.url }]);
});
afterAll(async () => {
  waiting.forEach((response) => response.destroy());
  await upstream.close();
  await site.stop();
});

it.each(['while its key is claimed', 'when an upstream works for it'])(
  'a call whose client leaves %s holds the memory of its body until it ends',
  async (moment) => {
    const { apiKey } = await site.account();
    const url = `data:image/png;base64,${'A'.repeat(PICTURE_BYTES)}`;
    const messages = [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }];
    const send = (key: string, signal?: AbortSignal) =>
      fetch(`${site.gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          Authorization: `Bearer ${apiKey}`,
          'Idempotency-Key': key,
        },
        body: JSON.stringify({ model: 'm', messages }),
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
    if (moment === 'while its key is claimed') {
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
    expect((await send('four')).status).toBe(429);
    // A refusal of the model's server, which ends the calls for nothing.
    for (const response of waiting.splice(0)) response.writeHead(400).end('{}');
    const last = await waitFor(async () => {
      const again = send('four');
      const isAdmitted = await Promise.race([again.then(() => false), isAsked(1)]);
      return isAdmitted ? { again } : undefined;
    });
    waiting
      .shift()!
      .writeHead(200, { 'Content-Type': 'application/json' })
      .end(JSON.stringify(answer({ content: 'Hello' })));
    expect((await last.again).status).toBe(200);
  },
);
