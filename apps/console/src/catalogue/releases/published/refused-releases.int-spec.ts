import { type Answer, type SignedIn, TestSite } from '../../../testing/console.fixture';
import { bodyOf, fileOf, ORIGIN } from '../releases.fixture';

let site: TestSite;
let admin: SignedIn;

beforeAll(async () => {
  site = await TestSite.start();
  admin = await site.signedIn('admin');
});
afterAll(() => site.stop());

const put = (tag: string, json: unknown = bodyOf(tag), component = 'engine') =>
  site.console.request('PUT', `/api/admin/releases/${component}/${tag}`, { token: admin.token, json });

const latest = () => site.console.request('GET', '/api/download/engine-latest');
const error = ({ body }: Answer) => (body as { error: string }).error;

describe('a refused release changes nothing:', () => {
  const file = fileOf('v1.0.0');
  const withFile = (more: object) => ({ assets: [{ ...file, ...more }] });
  const future = new Date(Date.now() + 3_600_000).toISOString();

  it.each<[string, object, string]>([
    ['no name', { name: undefined }, 'name: is missing'],
    ['an empty name', { name: '  ' }, 'name: must not be empty'],
    ['a long name', { name: 'x'.repeat(201) }, 'name: must have at most 200'],
    ['a NUL in the name', { name: 'a\0b' }, 'name: must not contain NUL'],
    ['a name of two lines', { name: 'a\nb' }, 'name: must be one line without control characters'],
    ['a name of two paragraphs', { name: 'a\u2029b' }, 'name: must be one line'],
    ['an escape in the name', { name: 'a\u001b[31m' }, 'name: must be one line'],
    ['another field', { tag_name: 'v1.0.0' }, 'tag_name'],
    ['a draft that is no boolean', { draft: 1 }, 'draft: must be true or false'],
    ['a prerelease that is no boolean', { prerelease: 'no' }, 'prerelease: must be true or false'],
    ['a time in the future', { published_at: future }, 'published_at: must not be in the future'],
    [
      'a time without an offset',
      { published_at: '2026-01-31T12:00:00' },
      'published_at: must be an RFC 3339 time such as 2026-01-31T12:30:00Z',
    ],
    ['a day', { published_at: '2026-01-31' }, 'published_at: must be an RFC 3339 time'],
    [
      'a day that there is not',
      { published_at: '2026-02-30T00:00:00Z' },
      'published_at: must be an RFC 3339 time',
    ],
    ['no files', { assets: [] }, 'assets: must hold at least one file'],
    ['files that are no list', { assets: {} }, 'assets: '],
    ['a file that is null', { assets: [null] }, 'assets: must be a list of objects'],
    ['a file that is a text', { assets: ['x'] }, 'assets: must be a list of objects'],
    ['a file that is a list', { assets: [[]] }, 'assets: must be a list of objects'],
    [
      'too many files',
      { draft: true, assets: Array.from({ length: 201 }, () => file) },
      'assets: must have at most 200 entries',
    ],
    ['two files of one name', { assets: [file, file] }, 'assets: must not hold two files of the same name'],
    ['another field of a file', withFile({ sha256: 'x' }), 'sha256'],
    ['a file without a platform', withFile({ name: 'engine-x86_64' }), 'assets.0.name: must name a platform'],
    [
      'a file without an architecture',
      withFile({ name: 'engine-linux' }),
      'assets.0.name: must name an architecture',
    ],
    [
      'a slash in a file name',
      withFile({ name: 'a/linux-x86_64' }),
      'assets.0.name: must not contain slashes',
    ],
    [
      'a backslash in a file name',
      withFile({ name: 'a\\linux-x86_64' }),
      'assets.0.name: must not contain slashes',
    ],
    [
      'a line break in a file name',
      withFile({ name: 'a\n-linux-x86_64' }),
      'assets.0.name: must be one line',
    ],
    [
      'a long file name',
      withFile({ name: `linux-x86_64-${'x'.repeat(190)}` }),
      'assets.0.name: must have at most 200',
    ],
    ['a negative size', withFile({ size: -1 }), 'assets.0.size: '],
    ['half a byte', withFile({ size: 1.5 }), 'assets.0.size: '],
    ['a size that is too large', withFile({ size: 2 ** 53 }), 'assets.0.size: must be a whole number'],
    ['a size in quotes', withFile({ size: '1' }), 'assets.0.size: must be a whole number'],
    ['a type that is none', withFile({ content_type: 'zip' }), 'assets.0.content_type: must be a media type'],
    [
      'a type of two lines',
      withFile({ content_type: 'a/b\r\nX: y' }),
      'assets.0.content_type: must be a media type',
    ],
    ['no URL', withFile({ url: 'engine.zip' }), 'assets.0.url: must be a URL'],
    ['a script', withFile({ url: 'javascript:alert(1)' }), 'assets.0.url: must be https'],
    ['plain http', withFile({ url: 'http://github.com/a' }), 'assets.0.url: must be https'],
    [
      'another host',
      withFile({ url: 'https://github.com.example/a' }),
      `assets.0.url: must lie at ${ORIGIN}`,
    ],
    [
      'the mirror of the other site',
      withFile({ url: 'https://gitee.com/a' }),
      `assets.0.url: must lie at ${ORIGIN}`,
    ],
    ['another port', withFile({ url: 'https://github.com:8443/a' }), `assets.0.url: must lie at ${ORIGIN}`],
    ['this machine', withFile({ url: 'http://127.0.0.1/a' }), `assets.0.url: must lie at ${ORIGIN}`],
    [
      'credentials in a URL',
      withFile({ url: 'https://me:pw@github.com/a' }),
      'assets.0.url: must not carry credentials',
    ],
  ])('%s', async (_what, more, fault) => {
    const answer = await put('v1.0.0', bodyOf('v1.0.0', more));
    expect([answer.status, error(answer)]).toEqual([400, expect.stringContaining(fault)]);
    expect((await latest()).status).toBe(404);
  });

  it('and the response names every fault', async () => {
    const answer = await put('v1.0.0', { name: '', draft: 1, assets: [{ ...file, size: -1, url: 1 }] });
    for (const field of ['name', 'draft', 'assets.0.size', 'assets.0.url'])
      expect(error(answer)).toContain(`${field}: `);
    const urls = ['https://a.example', 'https://b.example'].map((url, index) => ({
      ...file,
      name: `linux-arm64-${index}`,
      url,
    }));
    const other = await put('v1.0.0-rc.1', { ...bodyOf('v1.0.0'), prerelease: false, assets: urls });
    for (const field of ['prerelease', 'assets.0.url', 'assets.1.url'])
      expect(error(other)).toContain(`${field}: `);
  });

  it.each(['1.0.0', 'v1.0', 'v1.0.0+build', 'latest', 'v01.0.0', 'v1.0.0-', 'v1.0.0%00', '%E7%89%88'])(
    'the tag %s',
    async (tag) => {
      const answer = await put(tag, bodyOf('v1.0.0'));
      expect([answer.status, error(answer)]).toEqual([400, expect.stringContaining('tag: must be v<major>')]);
    },
  );

  it('an unknown component: 404', async () => {
    expect((await put('v1.0.0', bodyOf('v1.0.0'), 'browser')).status).toBe(404);
    expect((await put('v1.0.0', bodyOf('v1.0.0'), 'Engine')).status).toBe(404);
  });
});
