import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { createTestDatabase, publishPrices, type TestDatabase } from '@inference/testing';
import { ENTITIES } from '../entities';
import { type RequestOptions, TestConsole } from '../testing/console.fixture';

const HTML = { headers: { accept: 'text/html,*/*;q=0.8' } };
const PERSON = { email: 'ann@example.com', password: 'a password of this test' };
const START_PAGE = '<!doctype html><title>Console</title>';

let folder: string;
let database: TestDatabase;
let withPages: TestConsole;
let withoutPages: TestConsole;

const read = (target: TestConsole, path: string, options?: RequestOptions) =>
  target.request('GET', path, options);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'console-ui-'));
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), START_PAGE);
  writeFileSync(join(folder, 'favicon.svg'), '<svg/>');
  writeFileSync(join(folder, 'assets/main-3fa9.js'), 'export {};');
  writeFileSync(join(folder, 'assets/main-3fa9.js.br'), brotliCompressSync('export {};'));
  writeFileSync(join(folder, 'assets/main-3fa9.js.gz'), gzipSync('export {};'));
  database = await createTestDatabase(ENTITIES);
  const url = database.urlFor('console');
  withPages = await TestConsole.start(url, { CONSOLE_UI_DIRECTORY: folder });
  withoutPages = await TestConsole.start(url);
});
afterAll(async () => {
  await withPages?.app.close();
  await withoutPages?.app.close();
  await database?.drop();
  rmSync(folder, { recursive: true, force: true });
});

describe('a console with pages', () => {
  it.each(['/', '/keys', '/models/qwen-2.5', '/index.html'])(
    'answers a navigation to %s with the start page',
    async (path) => {
      const { status, headers, text } = await read(withPages, path, HTML);
      expect([status, text]).toEqual([200, START_PAGE]);
      expect(headers.get('cache-control')).toBe('no-cache');
    },
  );

  it('allows its pages own scripts and styles only, and calls to the services of the site', async () => {
    const { headers } = await read(withPages, '/', HTML);
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
        "connect-src 'self' http://memo.test http://router.test http://training.test; " +
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    );
  });

  it('lets caches keep files with a hash in their names', async () => {
    const { status, headers } = await read(withPages, '/assets/main-3fa9.js');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8']);
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect((await read(withPages, '/favicon.svg')).headers.get('cache-control')).toBe('no-cache');
  });

  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['br;q=0.1, gzip;q=0.9', 'br'],
    ['gzip, deflate', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['br;q=0, *', 'gzip'],
    ['*', 'br'],
    ['identity', null],
    ['br;q=0, gzip;q=0', null],
    ['zstd', null],
    ['', null],
  ])('sends a compressed file for "Accept-Encoding: %s" as %s', async (accepted, encoding) => {
    const { status, headers, text } = await read(withPages, '/assets/main-3fa9.js', {
      headers: { 'accept-encoding': accepted },
    });
    expect([status, text]).toEqual([200, 'export {};']);
    expect(headers.get('content-encoding')).toBe(encoding);
    expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(headers.get('vary')).toContain('Accept-Encoding');
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  });

  it('gives each coding of a file an ETag of its own', async () => {
    const etags = await Promise.all(
      ['br', 'gzip', 'identity'].map(async (accepted) => {
        const headers = { 'accept-encoding': accepted };
        const first = await read(withPages, '/assets/main-3fa9.js', { headers });
        const etag = first.headers.get('etag')!;
        const again = { headers: { ...headers, 'if-none-match': etag } };
        expect((await read(withPages, '/assets/main-3fa9.js', again)).status).toBe(304);
        return etag;
      }),
    );
    expect(new Set(etags).size).toBe(3);
  });

  it('compresses long answers of the API but those with secrets', async () => {
    const models = Array.from({ length: 30 }, (_none, index) => ({
      slug: `model-${index}`,
      unit: 'per_request' as const,
      ratePicos: 1n,
    }));
    await publishPrices(database.pool, models);
    const headers = { 'accept-encoding': 'gzip' };
    const pricing = await read(withPages, '/api/pricing', { headers });
    expect(pricing.headers.get('content-encoding')).toBe('gzip');
    expect(pricing.headers.get('vary')).toContain('Accept-Encoding');
    expect(pricing.body).toMatchObject({ models: { length: 30 } });
    const plain = await read(withPages, '/api/pricing', { headers: { 'accept-encoding': 'identity' } });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(plain.text).toBe(pricing.text);

    const { body } = await withPages.request('POST', '/api/auth/register', { json: PERSON });
    const { token } = body as { token: string };
    for (let count = 0; count < 8; count += 1)
      await withPages.request('POST', '/api/api-keys', { token, json: { name: 'long'.repeat(20) } });
    const keys = await read(withPages, '/api/api-keys', { token, headers });
    expect(keys.text.length).toBeGreaterThan(1_024);
    expect(keys.headers.get('content-encoding')).toBeNull();
  });

  it('answers 404 for a missing file, also to a navigation', async () => {
    expect((await read(withPages, '/assets/main-0000.js', HTML)).status).toBe(404);
    expect((await read(withPages, '/assets/main-0000.js')).status).toBe(404);
    expect((await read(withPages, '/../../package.json')).status).toBe(404);
  });

  it.each(['/api/nothing', '/.well-known/nothing', '/metrics', '/sitemap-9.xml'])(
    'answers 404 with JSON for %s',
    async (path) => {
      const { status, headers } = await read(withPages, path, HTML);
      expect([status, headers.get('content-type')]).toEqual([404, 'application/json; charset=utf-8']);
    },
  );

  it('answers 404 with JSON to a program that asks for a page', async () => {
    expect((await read(withPages, '/keys', { headers: { accept: '*/*' } })).status).toBe(404);
    expect((await withPages.request('POST', '/keys', { json: {}, ...HTML })).status).toBe(404);
  });

  it('tells its pages where the API is', async () => {
    expect((await read(withPages, '/config.json')).text).toBe('{"apiUrl":""}');
  });

  it('still answers the API', async () => {
    expect((await read(withPages, '/healthz', HTML)).text).toBe('{"status":"ok"}');
    expect((await read(withPages, '/api/site', HTML)).status).toBe(200);
  });
});

/** A renderer that shows every page as its path, and counts. */
const RENDERER = `
exports.paths = globalThis.renderedPaths = [];
exports.isRendered = (path) => /^\\/models\\/./.test(path);
exports.languageOf = () => 'en';
exports.renderPage = async ({ path }) => (exports.paths.push(path), { html: path, style: '' });`;

describe('a console that renders its pages', () => {
  let rendering: TestConsole;
  let address = '192.0.2.1';
  const renderedPaths = () => (globalThis as { renderedPaths?: string[] }).renderedPaths;
  const statusOf = async (path: string) => {
    const headers = { ...HTML.headers, 'X-Forwarded-For': address };
    return (await read(rendering, path, { headers })).status;
  };

  beforeAll(async () => {
    for (const part of ['.server', '.pages']) mkdirSync(join(folder, part));
    writeFileSync(join(folder, '.server/render.cjs'), RENDERER);
    writeFileSync(join(folder, '.pages/files.json'), '{}');
    rendering = await TestConsole.start(database.urlFor('console'), {
      CONSOLE_UI_DIRECTORY: folder,
      TRUST_PROXY: 'loopback',
      RATE_LIMIT_MULTIPLIER: '0.01',
    });
  });
  afterAll(() => rendering?.close());

  it('renders a page of a model once, and none of a model that does not exist', async () => {
    await publishPrices(database.pool, [{ slug: 'maker/offered', unit: 'per_request', ratePicos: 1n }]);
    const paths = ['/models/maker/offered', '/models/none', '/models/maker%2foffered', '/models/none'];
    const statuses = [];
    for (const path of paths) statuses.push(await statusOf(path));
    expect(statuses).toEqual([200, 404, 200, 404]);
    expect(renderedPaths()).toEqual(['/models/maker/offered']);
    await publishPrices(database.pool, [{ slug: 'none', unit: 'per_request', ratePicos: 1n }]);
    expect(await statusOf('/models/none')).toBe(200);
  });

  it('sends its document compressed', async () => {
    const answers = ['gzip', 'identity'].map((accepted) =>
      read(rendering, '/api/openapi.json', { headers: { 'accept-encoding': accepted } }),
    );
    const [short, long] = await Promise.all(answers);
    expect(short!.headers.get('content-encoding')).toBe('gzip');
    expect(long!.headers.get('content-encoding')).toBeNull();
    expect(short!.text).toBe(long!.text);
    expect(long!.body).toMatchObject({ openapi: '3.1.0' });
  });

  it('counts documents and pages among the requests of an address', async () => {
    const paths = ['/api/openapi.json', '/api/docs', '/models/none'];
    for (let n = 0; n < 30; n++) {
      address = `2001:db8::${n}`;
      expect(await statusOf(paths[n % 3]!)).not.toBe(429);
    }
    for (const path of [...paths, '/api/site']) expect([path, await statusOf(path)]).toEqual([path, 429]);
    address = '2001:db8:1::1';
    expect(await statusOf('/api/docs')).toBe(200);
  });
});

describe('a console without pages', () => {
  it.each(['/', '/keys', '/config.json', '/index.html'])('answers 404 for %s', async (path) => {
    expect((await read(withoutPages, path, HTML)).status).toBe(404);
  });
});

it('does not start with a folder without pages', async () => {
  const directory = join(tmpdir(), 'no-such-folder');
  await expect(
    TestConsole.start(database.urlFor('console'), { CONSOLE_UI_DIRECTORY: directory }),
  ).rejects.toThrow('CONSOLE_UI_DIRECTORY: must be a folder with index.html');
});
