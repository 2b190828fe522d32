import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { contractResults } from './contract-results';
import { holdProcessToContract } from './process-contract';

const JSON_TYPE = { 'Content-Type': 'application/json; charset=utf-8' };
const STREAM_TYPE = { 'Content-Type': 'text/event-stream' };

describe('a service in a process of its own', () => {
  let server: Server;
  let url: string;
  let answer: (response: ServerResponse) => void;

  beforeAll(async () => {
    server = createServer((_request, response) => {
      response.setHeader('X-Request-Id', 'r-1');
      answer(response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    holdProcessToContract(url, 'agent');
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const takeFaults = () => contractResults().faults.splice(0);
  const answerWith = (status: number, headers: Record<string, string>, body?: string) => {
    answer = (response) => void response.writeHead(status, headers).end(body);
  };

  it('may answer as its document says', async () => {
    const { checked } = contractResults();
    answerWith(200, JSON_TYPE, '{"status":"ok"}');
    expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ status: 'ok' });
    expect(await (await fetch(`${url}/healthz?x=1`)).text()).toBe('{"status":"ok"}');
    expect([takeFaults(), contractResults().checked]).toEqual([[], checked + 2]);
  });

  it.each<[string, number, Record<string, string>, string, string]>([
    ['status', 418, JSON_TYPE, '{"status":"ok"}', 'the status 418 is not documented'],
    [
      'content type',
      200,
      { 'Content-Type': 'text/html' },
      '',
      'the content type text/html is not documented',
    ],
    ['charset', 200, { 'Content-Type': 'application/json' }, '{"status":"ok"}', 'has not the charset utf-8'],
  ])('may not answer with another %s, even if nobody reads the body', async (_name, ...rest) => {
    const [status, headers, body, fault] = rest;
    answerWith(status, headers, body);
    await fetch(`${url}/healthz`);
    expect(takeFaults()).toEqual([expect.stringMatching(`^agent: GET /healthz \\(${status}\\): .*${fault}`)]);
  });

  it('may not answer with a member that is not described', async () => {
    answerWith(200, JSON_TYPE, '{"status":"ok","extra":1}');
    await (await fetch(`${url}/healthz`)).json();
    expect(takeFaults()).toEqual([expect.stringContaining('must NOT have additional properties')]);
  });

  it('is compared with the operation whose path has the fewest parameters', async () => {
    answerWith(404, JSON_TYPE, '{}');
    await (await fetch(`${url}/v1/agents/sessions/s/events/stream`)).text();
    expect(takeFaults()[0]).toMatch(
      /^agent: GET \/v1\/agents\/sessions\/\{session_id\}\/events\/stream \(404\)/,
    );
  });

  it('is not compared where the document has no operation', async () => {
    const { checked } = contractResults();
    answerWith(418, {});
    await fetch(`${url}/nothing`);
    await fetch(`${url}/healthz`, { method: 'PATCH' });
    expect([takeFaults(), contractResults().checked]).toEqual([[], checked]);
  });

  it('streams to the test piece by piece, as it does without the comparison', async () => {
    let open: ServerResponse | undefined;
    answer = (response) => {
      open = response;
      response.writeHead(200, STREAM_TYPE).write('first');
    };
    const response = await fetch(`${url}/v1/agents/sessions/s/events/stream`);
    const reader = response.body!.getReader();
    expect(Buffer.from((await reader.read()).value!).toString()).toBe('first');
    const closed = once(open!, 'close');
    await reader.cancel();
    await closed;
    takeFaults();
  });
});
