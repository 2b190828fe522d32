import fs from 'node:fs';
import { join } from 'node:path';
import contentDisposition from 'content-disposition';
import fc from 'fast-check';
import { CONTENT, errorOf, FileSite, type Headers, SIZE, StoredFiles, TAG } from './files.fixture';

describe('a link to a file', () => {
  let files: StoredFiles;
  let site: FileSite;
  let path: string;
  let lastModified: string;
  const ask = (headers?: Headers, method?: string) => site.request(path, headers, method);

  beforeAll(async () => {
    files = await StoredFiles.start();
    ({ site, lastModified } = files);
    path = site.pathFor('file_1');
  });
  afterAll(() => files.stop());

  describe('that is valid', () => {
    it('sends the file as an attachment with its name', async () => {
      const { status, headers, body } = await ask();
      expect(status).toBe(200);
      expect(body.equals(CONTENT)).toBe(true);
      expect(headers).toMatchObject({
        'content-type': 'application/octet-stream',
        'content-length': String(SIZE),
        'content-disposition': 'attachment; filename="model.gguf"',
        'accept-ranges': 'bytes',
        etag: TAG,
        'last-modified': lastModified,
        'cache-control': 'private, no-transform',
        'x-content-type-options': 'nosniff',
      });
    });

    it('is the link of the storage, signed with any of the secrets', async () => {
      const link = new URL(await site.storage.link('file_1', { fileName: 'a', expiresInSeconds: 60 }));
      expect((await site.request(link.pathname + link.search)).status).toBe(200);
      const old = site.pathFor('file_1', { secret: site.secrets[1]! });
      expect((await site.request(old)).status).toBe(200);
    });

    it.each([undefined, 'bytes=0-9'])('answers HEAD with the same headers (Range: %s)', async (range) => {
      const { status, headers, body } = await ask(range === undefined ? {} : { Range: range }, 'HEAD');
      expect([status, headers['content-length'], headers.etag, body.length]).toEqual([200, '1000', TAG, 0]);
      expect(headers['content-range']).toBeUndefined();
    });

    it('sends an empty file', async () => {
      const { status, headers, body } = await site.request(site.pathFor('empty'));
      expect([status, headers['content-length'], body.length]).toEqual([200, '0', 0]);
      const part = await site.request(site.pathFor('empty'), { Range: 'bytes=0-' });
      expect([part.status, part.headers['content-range']]).toEqual([416, 'bytes */0']);
      expect((await site.request(site.pathFor('empty'), { Range: 'bytes=-5' })).status).toBe(200);
    });

    it.each([
      '模型 Q4.gguf',
      'a "quoted" \\ name.gguf',
      'llama 🦙.gguf',
      "naïve; filename*=x'y.gguf",
      '50%41.gguf',
    ])('keeps the name %s', async (name) => {
      const { headers } = await site.request(site.pathFor('file_1', { name }), {}, 'HEAD');
      const { type, parameters } = contentDisposition.parse(headers['content-disposition']!);
      // Only the last segment of a path is a file name.
      expect([type, parameters.filename]).toEqual(['attachment', name.split('\\').at(-1)!]);
    });

    it('encodes any name, so that none injects a header', async () => {
      const anyName = fc.string({ unit: 'binary', minLength: 1, maxLength: 60 });
      await fc.assert(
        fc.asyncProperty(anyName, async (name) => {
          fc.pre(!/[/\\]/.test(name));
          const { status, headers } = await site.request(site.pathFor('file_1', { name }), {}, 'HEAD');
          expect(status).toBe(200);
          expect(Object.keys(headers).filter((header) => header.startsWith('x-injected'))).toEqual([]);
          expect(contentDisposition.parse(headers['content-disposition']!).parameters.filename).toBe(name);
        }),
        { numRuns: 60, examples: [['a\r\nX-Injected: 1'], ['\0'], ['../x'], ['..']] },
      );
    });
  });

  describe('that is invalid', () => {
    const change = (edit: (query: URLSearchParams) => void) => {
      const url = new URL(path, site.url);
      edit(url.searchParams);
      return url.pathname + url.search;
    };
    const broken: [string, () => string][] = [
      ['without a query', () => path.split('?')[0]!],
      ...['name', 'expires', 'signature'].flatMap((name): [string, () => string][] => [
        [`without ${name}`, () => change((query) => query.delete(name))],
        [`with an empty ${name}`, () => change((query) => query.set(name, ''))],
        [`with ${name} twice`, () => change((query) => query.append(name, query.get(name)!))],
        [`with ${name} as a list`, () => path.replace(`${name}=`, `${name}[]=`)],
        [`with another ${name}`, () => change((query) => query.set(name, `${query.get(name)}0`))],
      ]),
      ['with one parameter more', () => change((query) => query.set('token', 'a'))],
      ['to another file', () => path.replace('/file_1?', '/large?')],
      ['to a path', () => path.replace('/file_1?', '/..%2Fpackages%2Ffile_1?')],
      ['of another secret', () => site.pathFor('file_1', { secret: 'a-secret-that-is-none-of-ours-at-all' })],
      ['of a key that is none', () => site.pathFor('file_1.x')],
      ['that is in capitals', () => path.replace('/file_1?', '/FILE_1?')],
    ];

    it.each(broken)('%s is refused', async (_what, make) => {
      for (const method of ['GET', 'HEAD']) {
        const answer = await site.request(make(), { Range: 'bytes=0-1' }, method);
        expect([answer.status, answer.headers['cache-control']]).toEqual([403, 'no-store']);
        if (method === 'GET') expect(errorOf(answer)).toBe('the link is not valid');
        expect(answer.headers['content-disposition']).toBeUndefined();
      }
    });

    it('has an error message of its own when it has expired', async () => {
      const answer = await site.request(site.pathFor('file_1', { inSeconds: -1 }));
      expect([answer.status, errorOf(answer)]).toEqual([
        403,
        'the link has expired: ask for the download again',
      ]);
    });

    it('is 404 for a missing file', async () => {
      fs.mkdirSync(join(site.folder, 'packages', 'a_folder'), { recursive: true });
      for (const key of ['file_9', 'a_folder']) {
        const answer = await site.request(site.pathFor(key));
        expect([answer.status, errorOf(answer)]).toEqual([404, 'no such file']);
        expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      }
    });

    it('is 404 if packages are stored in a bucket', async () => {
      const elsewhere = await FileSite.start(files.database.urlFor('console'), {
        STORAGE_FOLDER: '',
        S3_BUCKET: 'bucket',
        S3_REGION: 'eu-central-1',
        S3_ACCESS_KEY_ID: 'nobody',
        S3_SECRET_ACCESS_KEY: 'a-secret-access-key-of-nobody-at-all',
      });
      for (const where of [path, '/api/files/file_1']) {
        const answer = await elsewhere.request(where);
        expect([answer.status, errorOf(answer)]).toEqual([404, 'no such file']);
      }
      await elsewhere.stop();
    });
  });

  it('is never logged', async () => {
    for (const inSeconds of [900, -1]) await site.request(site.pathFor('file_1', { inSeconds }));
    const text = JSON.stringify(site.log);
    expect(text).toContain('/api/files/file_1');
    expect(text).not.toContain('signature');
    expect(text).not.toContain(new URL(path, site.url).searchParams.get('signature')!);
  });
});
