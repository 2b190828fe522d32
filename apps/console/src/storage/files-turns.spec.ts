import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { createTestDatabase, type TestDatabase, waitFor } from '@inference/testing';
import { type Request, type Response } from 'express';
import { FileSite, readAnswers } from './files.fixture';
import { Turns } from './files-turns';

const LARGE_BYTES = 64 * 2 ** 20;
const MAX_WAITING = 100;

describe('links to files, asked for one behind another on one connection', () => {
  let database: TestDatabase;
  let site: FileSite;
  let before: { answers: number; readings: number };
  const contents = Array.from({ length: 10 }, (_, i) => randomBytes(1_000 * i + 1));

  beforeAll(async () => {
    database = await createTestDatabase();
    site = await FileSite.start(database.urlFor('console'));
    await site.addLarge('large', LARGE_BYTES);
    for (const [i, content] of contents.entries()) await site.add(`file_${i}`, content);
  });
  afterAll(async () => {
    await site.stop();
    await database.drop();
  });
  beforeEach(() => (before = { answers: site.answers.length, readings: site.readings.length }));

  const readings = () => site.readings.slice(before.readings);
  const areClosed = () => waitFor(() => readings().every(({ closed }) => closed));

  /** Of a file that is larger than what a connection holds, so that the others wait while nobody reads. */
  async function begin(others: string[]) {
    const client = site.pipeline([site.pathFor('large'), ...others]);
    const answers = await waitFor(() => {
      const taken = site.answers.slice(before.answers);
      return taken.length === others.length + 1 && taken;
    });
    await waitFor(() => readings()[0]?.isPaused());
    return { client, answers, connection: site.sockets.at(-1)! };
  }

  const copies = (count: number) => Array.from({ length: count }, () => site.pathFor('large'));

  it('come whole, in their order', async () => {
    const wanted = Array.from({ length: MAX_WAITING }, (_, i) => i % contents.length);
    const { client } = await begin(wanted.map((i) => site.pathFor(`file_${i}`)));
    const [first, ...others] = await readAnswers(client);
    expect([first!.status, first!.body.length]).toEqual([200, LARGE_BYTES]);
    expect(others.map(({ status }) => status)).toEqual(wanted.map(() => 200));
    for (const [at, i] of wanted.entries()) expect(others[at]!.body.equals(contents[i]!)).toBe(true);
    await areClosed();
  });

  it('are refused when too many wait, and left on the line when yet more come', async () => {
    const client = site.pipeline(copies(3_000));
    const connection = await waitFor(() => site.answers[before.answers]?.socket);
    await waitFor(() => connection.isPaused() && readings()[0]?.isPaused());
    const taken = () => site.answers.slice(before.answers);
    const refused = () => taken().filter(({ writableEnded }) => writableEnded);
    await waitFor(() => taken().length - refused().length === 1 + MAX_WAITING);
    expect(taken().length).toBeLessThan(3_000);
    for (const answer of refused())
      expect([answer.statusCode, answer.getHeader('retry-after')]).toEqual([429, '1']);
    client.destroy();
    await areClosed();
  });

  describe('and not read', () => {
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

  it('do not hold the stop of the service up', async () => {
    const { client } = await begin(copies(MAX_WAITING));
    const cut = new Promise((resolve) => client.on('error', resolve).once('close', resolve));
    await site.close();
    await areClosed();
    expect(readings().length).toBe(1);
    client.resume();
    await cut;
  });
});

describe('the turns of the answers on a connection', () => {
  it('come one by one, and come to an end with the connection', async () => {
    const turns = new Turns();
    const asked: ServerResponse[] = [];
    const came: boolean[] = [];
    const server = createServer((request, response) => {
      asked.push(response);
      void turns.comes(request as Request, response as Response).then((is) => came.push(is));
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
