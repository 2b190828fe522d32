import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { waitFor } from '@inference/testing';
import { TestSite } from '../../../testing/console.fixture';
import { ModelAdmin } from '../models.fixture';
import { answerOf, StoredPackages } from '../model-packages/packages.fixture';

const digestOf = (content: string | Buffer) =>
  `sha-256=:${createHash('sha256').update(content).digest('base64')}:`;
const hexOf = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');

let site: TestSite;
let modelAdmin: ModelAdmin;
let packages: StoredPackages;

beforeAll(async () => {
  site = await TestSite.start();
  modelAdmin = new ModelAdmin(site, await site.signedIn('admin'));
  packages = new StoredPackages(site);
});
afterAll(() => site.stop());

describe('an upload', () => {
  it('is stored completely, with its size and digest', async () => {
    const content = randomBytes(3_000_001);
    const { status, body } = await modelAdmin.upload('whole', '1.0-rc.1+b', content, {
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
    const [row] = await packages.rowsOf('whole');
    expect(packages.isStored(row!.id)).toBe(true);
    const { rows } = await site.database.pool.query(
      "SELECT actor_id, details FROM accounts.security_events WHERE type = 'admin.package_uploaded'",
    );
    const details = { slug: 'whole', version: '1.0-rc.1+b', sha256: hexOf(content) };
    expect(rows).toEqual([{ actor_id: modelAdmin.admin.accountId, details }]);
  });

  it('may be repeated with the same content only', async () => {
    const headers = { 'Content-Digest': digestOf('content') };
    const first = await modelAdmin.upload('again', '1', 'content');
    const again = await modelAdmin.upload('again', '1', 'content', { headers });
    expect([again.status, again.body]).toEqual([200, first.body]);
    for (const answer of [
      await modelAdmin.upload('again', '1', 'content'),
      await modelAdmin.upload('again', '1', 'other'),
    ])
      expect([answer.status, answer.body]).toEqual([409, { error: expect.any(String) }]);
    expect(await packages.rowsOf('again')).toHaveLength(1);
  });

  it.each<[number, Record<string, string | number>, string]>([
    [415, { 'Content-Type': 'application/json', 'Content-Length': 1 }, 'content type'],
    [415, { 'Content-Encoding': 'gzip', 'Content-Length': 1 }, 'content encoding'],
    [411, { 'Transfer-Encoding': 'chunked' }, 'Content-Length'],
    [413, { 'Content-Length': 2 ** 41 }, 'at most'],
    [400, { 'Content-Length': 0 }, 'empty'],
    [400, { 'Content-Length': 1, 'Content-Digest': 'sha-256=:eA==:' }, 'Content-Digest'],
    [400, { 'Content-Length': 1, 'Content-Digest': 'md5=:eA==:' }, 'Content-Digest'],
  ])('is answered with %i for the headers %j', async (expected, headers, message) => {
    const upload = modelAdmin.startUpload(site.console.url, 'refused', '1', headers);
    upload.on('error', () => undefined);
    upload.flushHeaders();
    const [status, body] = await answerOf(upload);
    upload.destroy();
    expect([status, JSON.parse(body)]).toEqual([expected, { error: expect.stringContaining(message) }]);
    expect(await packages.rowsOf('refused')).toEqual([]);
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
  ])('refuses the version %s%s with 400', async (version, query) => {
    const { status, body } = await modelAdmin.upload('refused', version, 'x', { query });
    expect([status, body]).toEqual([400, { error: expect.any(String) }]);
    expect(await packages.rowsOf('refused')).toEqual([]);
  });

  it('is refused if its content does not have the announced digest', async () => {
    const headers = { 'Content-Digest': digestOf('something else') };
    const { status, body } = await modelAdmin.upload('damaged', '1', 'content', { headers });
    expect([status, body]).toEqual([400, { error: expect.stringContaining('Content-Digest') }]);
    expect(await packages.rowsOf('damaged')).toEqual([]);
  });

  it('is refused before the body is sent if the client expects 100-continue', async () => {
    const user = await site.signedIn();
    const answers: [string, Record<string, string | number>][] = [
      ['401', { Authorization: 'Bearer rubbish' }],
      ['403', { Authorization: `Bearer ${user.token}` }],
      ['413', { 'Content-Length': 2 ** 41 }],
    ];
    for (const [expected, headers] of answers) {
      const upload = modelAdmin.startUpload(site.console.url, 'asked', '1', {
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
    const wanted = modelAdmin.startUpload(site.console.url, 'asked', '1', {
      'Content-Length': 7,
      Expect: '100-continue',
    });
    wanted.flushHeaders();
    await once(wanted, 'continue');
    wanted.end('content');
    expect((await answerOf(wanted))[0]).toBe(201);
  });

  it('reads a repeated upload to its end unless the client expects 100-continue', async () => {
    const content = randomBytes(2_000_000);
    const headers = { 'Content-Digest': digestOf(content), 'Content-Length': content.length };
    await modelAdmin.upload('repeated', '1', content);
    const sent = modelAdmin.startUpload(site.console.url, 'repeated', '1', headers);
    const answer = answerOf(sent);
    sent.write(content.subarray(0, 1_000_000));
    expect(await Promise.race([answer, new Promise((resolve) => setTimeout(resolve, 200, 'none'))])).toBe(
      'none',
    );
    sent.end(content.subarray(1_000_000));
    expect((await answer)[0]).toBe(200);
    const asking = modelAdmin.startUpload(site.console.url, 'repeated', '1', {
      ...headers,
      Expect: '100-continue',
    });
    asking.on('error', () => undefined);
    asking.flushHeaders();
    expect((await answerOf(asking))[0]).toBe(200);
    asking.destroy();
  });

  it('is not visible before it is complete', async () => {
    const upload = modelAdmin.startUpload(site.console.url, 'slow', '1', { 'Content-Length': 10 });
    upload.write('first');
    await packages.waitForIncoming('slow');
    expect((await modelAdmin.store('slow', { name: 'Slow', version: '1' })).status).toBe(409);
    expect((await modelAdmin.read('slow')).body).toMatchObject({
      packages: [{ version: '1', status: 'uploading', sha256: null, size: 10 }],
    });
    expect((await site.console.request('GET', '/api/models/slow')).status).toBe(404);
    upload.end('-last');
    expect((await answerOf(upload))[0]).toBe(201);
    expect((await modelAdmin.read('slow')).body).toMatchObject({
      packages: [{ sha256: hexOf('first-last') }],
    });
  });

  it.each(['the same', 'another'])(
    'stores one of two concurrent uploads of %s content for the same version',
    async (kind) => {
      const slug = `beside-${kind.replace(' ', '-')}`;
      const contents = kind === 'another' ? ['one-one-on', 'two-two-tw'] : ['one-one-on', 'one-one-on'];
      const uploads = contents.map((content) => {
        const upload = modelAdmin.startUpload(site.console.url, slug, '1', { 'Content-Length': 10 });
        upload.write(content.slice(0, 5));
        return upload;
      });
      await waitFor(async () => (await packages.rowsOf(slug)).length === 2);
      uploads.forEach((upload, index) => upload.end(contents[index]!.slice(5)));
      const answers = await Promise.all(uploads.map(answerOf));
      const statuses = answers.map(([status]) => status);
      expect([...statuses].sort()).toEqual(kind === 'another' ? [201, 409] : [200, 201]);
      const winner = contents[statuses.indexOf(201)]!;
      expect((await modelAdmin.read(slug)).body).toMatchObject({ packages: [{ sha256: hexOf(winner) }] });
      const rows = await packages.rowsOf(slug);
      expect(rows).toEqual([expect.objectContaining({ stored: true })]);
      expect(packages.isStored(rows[0]!.id)).toBe(true);
    },
  );
});
