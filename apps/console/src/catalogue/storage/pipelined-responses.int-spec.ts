import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { createTestDatabase, type TestDatabase, waitFor } from '@inference/testing';
import { type Request, type Response } from 'express';
import { ENTITIES } from '../../entities';
import { FileSite, readResponses } from './files.fixture';
import { PipelinedResponses } from './files.service';

const LARGE_BYTES = 64 * 2 ** 20;
const MAX_WAITING = 100;

describe('pipelined downloads', () => {
  let database: TestDatabase;
  let site: FileSite;
  let before: { answers: number; readings: number };
  const contents = Array.from({ length: 10 }, (_, i) => randomBytes(1_000 * i + 1));

  beforeAll(async () => {
    database = await createTestDatabase(ENTITIES);
    site = await FileSite.start(database.urlFor('console'));
    await site.addLarge('large', LARGE_BYTES);
    for (const [i, content] of contents.entries()) await site.add(`file_${i}`, content);
  });
  afterAll(async () => {
    await site.stop();
    await database.drop();
  });
  beforeEach(() => (before = { answers: site.responses.length, readings: site.fileStreams.length }));

  const readings = () => site.fileStreams.slice(before.readings);
  const areClosed = () => waitFor(() => readings().every(({ closed }) => closed));

  /** Requests a file larger than the socket buffers, so that the other responses wait while the client does not read. */
  async function begin(others: string[]) {
    const client = site.pipeline([site.pathFor('large'), ...others]);
    const answers = await waitFor(() => {
      const taken = site.responses.slice(before.answers);
      return taken.length === others.length + 1 && taken;
    });
    await waitFor(() => readings()[0]?.isPaused());
    return { client, answers, connection: site.sockets.at(-1)! };
  }

  const copies = (count: number) => Array.from({ length: count }, () => site.pathFor('large'));

  it('are sent completely and in order', async () => {
    const wanted = Array.from({ length: MAX_WAITING }, (_, i) => i % contents.length);
    const { client } = await begin(wanted.map((i) => site.pathFor(`file_${i}`)));
    const [first, ...others] = await readResponses(client);
    expect([first!.status, first!.body.length]).toEqual([200, LARGE_BYTES]);
    expect(others.map(({ status }) => status)).toEqual(wanted.map(() => 200));
    for (const [at, i] of wanted.entries()) expect(others[at]!.body.equals(contents[i]!)).toBe(true);
    await areClosed();
  });

  it('are refused if too many wait, and not read if still more arrive', async () => {
    const client = site.pipeline(copies(3_000));
    const connection = await waitFor(() => site.responses[before.answers]?.socket);
    await waitFor(() => connection.isPaused() && readings()[0]?.isPaused());
    const taken = () => site.responses.slice(before.answers);
    const refused = () => taken().filter(({ writableEnded }) => writableEnded);
    await waitFor(() => taken().length - refused().length === 1 + MAX_WAITING);
    expect(taken().length).toBeLessThan(3_000);
    for (const answer of refused())
      expect([answer.statusCode, answer.getHeader('retry-after')]).toEqual([429, '1']);
    client.destroy();
    await areClosed();
  });

  describe('that the client does not read', () => {
    const ends: [string, (of: Awaited<ReturnType<typeof begin>>) => unknown][] = [
      ['is destroyed', ({ client }) => client.destroy()],
      ['is half closed', ({ client }) => client.end().resume()],
      ['is reset', ({ client }) => client.resetAndDestroy()],
      ['stalls', ({ connection }) => connection.setTimeout(50)],
    ];
    it.each(ends)('open one file at a time, and none when the connection %s', async (_how, end) => {
      const begun = await begin(copies(MAX_WAITING));
      expect(begun.connection.timeout).toBe(60_000);
      expect(begun.connection.listenerCount('close')).toBeLessThan(10);
      end(begun);
      await waitFor(() => begun.connection.closed);
      await areClosed();
      expect(readings().length).toBe(1);
      begun.client.destroy();
    });
  });

  it('do not delay a shutdown', async () => {
    const { client } = await begin(copies(MAX_WAITING));
    const cut = new Promise((resolve) => client.on('error', resolve).once('close', resolve));
    await site.close();
    await areClosed();
    expect(readings().length).toBe(1);
    client.resume();
    await cut;
  });
});

describe('the turns of pipelined responses', () => {
  it('come one after the other, and end with the connection', async () => {
    const pipeline = new PipelinedResponses();
    const asked: ServerResponse[] = [];
    const came: boolean[] = [];
    const server = createServer((request, response) => {
      asked.push(response);
      void pipeline.waitForTurn(request as Request, response as Response).then((is) => came.push(is));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(5));
    await waitFor(() => asked.length === 5 && came.length === 1);
    asked[0]!.end();
    await waitFor(() => came.length === 2);
    client.destroy();
    await waitFor(() => came.length === 5);
    expect(came).toEqual([true, true, false, false, false]);
    server.close();
    await once(server, 'close');
  });
});
