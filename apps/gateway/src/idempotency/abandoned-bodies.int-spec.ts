import { type ServerResponse } from 'node:http';
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

it('calls whose clients have left hold the memory of their bodies until they end', async () => {
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
  for (const [index, key] of ['one', 'two', 'three'].entries()) {
    const client = new AbortController();
    const left = send(key, client.signal);
    await isAsked(index + 1);
    client.abort();
    await expect(left).rejects.toThrow('aborted');
  }
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
});
