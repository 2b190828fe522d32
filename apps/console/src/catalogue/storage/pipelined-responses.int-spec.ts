import { randomBytes } from 'node:crypto';
import { createTestDatabase, type TestDatabase, waitFor } from '@inference/testing';
import { ENTITIES } from '../../entities';
import { FileSite, readResponses } from './files.fixture';

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

  it('are cut off if too many wait', async () => {
    const client = site.pipeline(copies(3_000)).on('error', () => undefined);
    await new Promise((resolve) => client.once('close', resolve));
    await areClosed();
    expect(readings().length).toBeLessThanOrEqual(1);
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
