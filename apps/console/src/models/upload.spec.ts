import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { type ClientRequest, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { waitFor } from '@inference/testing';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { type Answer, TestConsole, TestSite } from '../console.fixture';
import { ConsoleProcess } from '../console-process.fixture';
import { ModelDesk } from './models.fixture';
import { PackageSweep } from './package-sweep';

const digestOf = (content: string | Buffer) =>
  `sha-256=:${createHash('sha256').update(content).digest('base64')}:`;
const hexOf = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');

let site: TestSite;
let desk: ModelDesk;
let folder: string;

beforeAll(async () => {
  site = await TestSite.start();
  desk = new ModelDesk(site, await site.signedIn('admin'));
  const { storage } = site.console.app.get<ConsoleConfig>(CONSOLE_CONFIG).catalogue;
  if ('s3' in storage) throw new Error('These tests look into a folder.');
  ({ folder } = storage.folder);
});
afterAll(() => site.stop());

const rowsOf = async (slug: string) => {
  const { rows } = await site.database.pool.query<{ id: string; stored: boolean; uploading: boolean }>(
    `SELECT id, stored_at IS NOT NULL AS stored, uploading_until > now() AS uploading
     FROM catalogue.packages WHERE slug = $1 ORDER BY created_at`,
    [slug],
  );
  return rows;
};
const isStored = (id: string) => existsSync(join(folder, 'packages', id));
const incoming = () => readdir(join(folder, 'incoming'));
/** Until the first bytes are on the disk. */
const arriving = (slug: string) =>
  waitFor(async () => {
    const [row] = await rowsOf(slug);
    return row && (await incoming()).includes(row.id) && row;
  });

async function answerOf(upload: ClientRequest): Promise<[status: number, body: string]> {
  const [response] = (await once(upload, 'response')) as [IncomingMessage];
  return [response.statusCode ?? 0, await text(response)];
}

describe('an upload', () => {
  it('is stored whole, with its size and digest', async () => {
    const content = randomBytes(3_000_001);
    const { status, body } = await desk.upload('whole', '1.0-rc.1+b', content, {
      query: `?file_name=${encodeURIComponent('模型 "7B".gguf')}`,
      headers: { 'Content-Digest': `md5=:AAAA:, ${digestOf(content)}` },
    });
    expect([status, body]).toEqual([
      201,
      {
        slug: 'whole',
        version: '1.0-rc.1+b',
        file_name: '模型 "7B".gguf',
        size: 3_000_001,
        sha256: hexOf(content),
        status: 'stored',
        created_at: expect.any(String),
        published_at: null,
      },
    ]);
    const [row] = await rowsOf('whole');
    expect(isStored(row!.id)).toBe(true);
    const { rows } = await site.database.pool.query(
      "SELECT actor_id, details FROM accounts.security_events WHERE type = 'admin.package_uploaded'",
    );
    const details = { slug: 'whole', version: '1.0-rc.1+b', sha256: hexOf(content) };
    expect(rows).toEqual([{ actor_id: desk.admin.accountId, details }]);
  });

  it('may be repeated with the same content, and with no other', async () => {
    const headers = { 'Content-Digest': digestOf('content') };
    const first = await desk.upload('again', '1', 'content');
    const again = await desk.upload('again', '1', 'content', { headers });
    expect([again.status, again.body]).toEqual([200, first.body]);
    for (const answer of [
      await desk.upload('again', '1', 'content'),
      await desk.upload('again', '1', 'other'),
    ])
      expect([answer.status, answer.body]).toEqual([409, { error: expect.any(String) }]);
    expect(await rowsOf('again')).toHaveLength(1);
  });

  it.each<[number, Record<string, string | number>, string]>([
    [415, { 'Content-Type': 'application/json', 'Content-Length': 1 }, 'content type'],
    [415, { 'Content-Encoding': 'gzip', 'Content-Length': 1 }, 'content encoding'],
    [411, { 'Transfer-Encoding': 'chunked' }, 'Content-Length'],
    [413, { 'Content-Length': 2 ** 41 }, 'at most'],
    [400, { 'Content-Length': 0 }, 'empty'],
    [400, { 'Content-Length': 1, 'Content-Digest': 'sha-256=:eA==:' }, 'Content-Digest'],
    [400, { 'Content-Length': 1, 'Content-Digest': 'md5=:eA==:' }, 'Content-Digest'],
  ])('is answered %i with the headers %j', async (expected, headers, message) => {
    const upload = desk.begin(site.console.url, 'refused', '1', headers);
    upload.on('error', () => undefined);
    upload.flushHeaders();
    const [status, body] = await answerOf(upload);
    upload.destroy();
    expect([status, JSON.parse(body)]).toEqual([expected, { error: expect.stringContaining(message) }]);
    expect(await rowsOf('refused')).toEqual([]);
  });

  it.each([
    ['1%2F2', ''],
    ['.1', ''],
    ['v 1', ''],
    ['x'.repeat(65), ''],
    ['1', '?file_name='],
    ['1', '?file_name=a%2Fb'],
    ['1', '?file_name=..'],
    ['1', '?file_name=a%5Cb'],
    ['1', '?file_name=a%0Ab'],
    ['1', `?file_name=${'x'.repeat(201)}`],
    ['1', '?file_name=a&file_name=b'],
    ['1', '?name=a'],
  ])('of the version %s%s is 400', async (version, query) => {
    const { status, body } = await desk.upload('refused', version, 'x', { query });
    expect([status, body]).toEqual([400, { error: expect.any(String) }]);
    expect(await rowsOf('refused')).toEqual([]);
  });

  it('is nothing unless its content has the digest that was announced', async () => {
    const headers = { 'Content-Digest': digestOf('something else') };
    const { status, body } = await desk.upload('damaged', '1', 'content', { headers });
    expect([status, body]).toEqual([400, { error: expect.stringContaining('Content-Digest') }]);
    expect(await rowsOf('damaged')).toEqual([]);
  });

  it('is refused before anything is sent, when the client asks first', async () => {
    const user = await site.signedIn();
    const answers: [string, Record<string, string | number>][] = [
      ['401', { Authorization: 'Bearer rubbish' }],
      ['403', { Authorization: `Bearer ${user.token}` }],
      ['413', { 'Content-Length': 2 ** 41 }],
    ];
    for (const [expected, headers] of answers) {
      const upload = desk.begin(site.console.url, 'asked', '1', {
        'Content-Length': 10,
        Expect: '100-continue',
        ...headers,
      });
      let isAwaited = false;
      upload.on('continue', () => (isAwaited = true)).on('error', () => undefined);
      upload.flushHeaders();
      expect([String((await answerOf(upload))[0]), isAwaited]).toEqual([expected, false]);
      upload.destroy();
    }
    const wanted = desk.begin(site.console.url, 'asked', '1', {
      'Content-Length': 7,
      Expect: '100-continue',
    });
    wanted.flushHeaders();
    await once(wanted, 'continue');
    wanted.end('content');
    expect((await answerOf(wanted))[0]).toBe(201);
  });

  it('is seen by nobody before it is whole', async () => {
    const upload = desk.begin(site.console.url, 'slow', '1', { 'Content-Length': 10 });
    upload.write('first');
    await arriving('slow');
    expect((await desk.store('slow', { name: 'Slow', version: '1' })).status).toBe(409);
    await desk.store('slow', { name: 'Slow' });
    expect((await desk.read('slow')).body).toMatchObject({
      packages: [{ version: '1', status: 'uploading', sha256: null, size: 10 }],
    });
    expect((await site.console.request('GET', '/api/models/slow')).status).toBe(404);
    upload.end('-last');
    expect((await answerOf(upload))[0]).toBe(201);
    expect((await desk.read('slow')).body).toMatchObject({ packages: [{ sha256: hexOf('first-last') }] });
  });

  it('leaves nothing when the client goes away in the middle', async () => {
    const upload = desk.begin(site.console.url, 'gone', '1', { 'Content-Length': 10 });
    upload.on('error', () => undefined);
    upload.write('first');
    const { id } = await arriving('gone');
    upload.destroy();
    await waitFor(async () => (await rowsOf('gone')).length === 0);
    expect(await incoming()).not.toContain(id);
    expect(isStored(id)).toBe(false);
  });

  it.each(['the same', 'another'])(
    'beside one of %s content of its version: one of them counts',
    async (kind) => {
      const slug = `beside-${kind.replace(' ', '-')}`;
      const contents = kind === 'another' ? ['one-one-on', 'two-two-tw'] : ['one-one-on', 'one-one-on'];
      const uploads = contents.map((content) => {
        const upload = desk.begin(site.console.url, slug, '1', { 'Content-Length': 10 });
        upload.write(content.slice(0, 5));
        return upload;
      });
      await waitFor(async () => (await rowsOf(slug)).length === 2);
      uploads.forEach((upload, index) => upload.end(contents[index]!.slice(5)));
      const answers = await Promise.all(uploads.map(answerOf));
      const statuses = answers.map(([status]) => status);
      expect([...statuses].sort()).toEqual(kind === 'another' ? [201, 409] : [200, 201]);
      const winner = contents[statuses.indexOf(201)]!;
      expect((await desk.read(slug)).body).toMatchObject({ packages: [{ sha256: hexOf(winner) }] });
      const rows = await rowsOf(slug);
      expect(rows).toEqual([expect.objectContaining({ stored: true })]);
      expect(isStored(rows[0]!.id)).toBe(true);
    },
  );

  it('that was given up meanwhile is not taken any more', async () => {
    const upload = desk.begin(site.console.url, 'late', '1', { 'Content-Length': 10 });
    upload.write('first');
    const { id } = await arriving('late');
    await expire(id);
    await site.console.app.get(PackageSweep).run();
    upload.end('-last');
    const [status, body] = await answerOf(upload);
    expect([status, JSON.parse(body)]).toEqual([409, { error: expect.any(String) }]);
    expect(await rowsOf('late')).toEqual([]);
    expect(isStored(id)).toBe(false);
  });
});

const expire = (id: string) =>
  site.database.pool.query(
    "UPDATE catalogue.packages SET uploading_until = now() - interval '1 second' WHERE id = $1",
    [id],
  );
const sweep = () => site.console.app.get(PackageSweep).run();
const letLinksExpire = () =>
  site.database.pool.query("UPDATE catalogue.packages SET removed_at = removed_at - interval '1 hour'");

describe('the sweep', () => {
  it('clears away what a killed console has left, and the version is free', async () => {
    const other = await ConsoleProcess.start(site, desk.admin.token);
    const upload = desk.begin(other.url, 'killed', '1', { 'Content-Length': 10 });
    upload.on('error', () => undefined);
    upload.write('first');
    const { id } = await arriving('killed');
    other.kill();
    await sweep();
    expect(await rowsOf('killed')).toHaveLength(1);
    expect((await desk.upload('killed', '1', 'once more')).status).toBe(201);
    await expire(id);
    await sweep();
    await letLinksExpire();
    await sweep();
    expect(await rowsOf('killed')).toEqual([expect.objectContaining({ stored: true })]);
    expect(await incoming()).not.toContain(id);
  });

  it('deletes the file of a removed package when no link to it can be used any more', async () => {
    await desk.publish('swept', '1');
    await desk.publish('swept', '2');
    const id = (await rowsOf('swept'))[0]!.id;
    await desk.remove('swept', '1');
    await sweep();
    expect(isStored(id)).toBe(true);
    await letLinksExpire();
    await sweep();
    expect(isStored(id)).toBe(false);
    await sweep();
    const { rows } = await site.database.pool.query(
      'SELECT purged_at IS NOT NULL AS purged FROM catalogue.packages WHERE id = $1',
      [id],
    );
    expect(rows).toEqual([{ purged: true }]);
    expect((await site.console.request('GET', '/api/models/swept')).body).toMatchObject({ version: '2' });
  });
});

describe('a console that is told to stop', () => {
  it('cuts off what is coming in, and leaves nothing of it', async () => {
    const stopping = await TestConsole.start(site.database.urlFor('console'));
    const upload = desk.begin(stopping.url, 'stopped', '1', { 'Content-Length': 10 });
    upload.on('error', () => undefined);
    upload.write('first');
    const { id } = await arriving('stopped');
    await stopping.close();
    expect(await rowsOf('stopped')).toEqual([]);
    expect(await incoming()).not.toContain(id);
  });
});

describe('a storage that is away', () => {
  it('is 503 to an upload, and nothing is left', async () => {
    const broken = await TestSite.start({ STORAGE_FOLDER: '/dev/null/nowhere' });
    const admin = new ModelDesk(broken, await broken.signedIn('admin'));
    const answer: Answer = await admin.upload('x', '1', 'content');
    expect([answer.status, answer.body]).toEqual([503, { error: 'storage unavailable' }]);
    expect((await admin.read('x')).status).toBe(404);
    await broken.stop();
  });
});
