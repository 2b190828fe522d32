import { SandboxCodeHost } from './sandbox-code-host';

const REPOSITORY = 'acme/engine';
const FILE = { name: 'engine linux-x86_64.sh', content: 'echo "引擎"', content_type: 'application/x-sh' };
const RELEASE = { tag_name: 'v1.0.0', name: 'First', published_at: '2026-01-31T20:00:00Z', assets: [FILE] };

interface Listed {
  id: number;
  tag_name: string;
  created_at: string;
  assets: { name: string; browser_download_url: string; size?: number }[];
}

let host: SandboxCodeHost;
beforeAll(async () => (host = await SandboxCodeHost.start({ site: 'intl' })));
beforeEach(async () => {
  await host.tell();
  await host.publish(REPOSITORY, RELEASE);
});
afterAll(() => host.stop());

const github = (query = '') => `${host.url}/github/api/repos/${REPOSITORY}/releases${query}`;
const gitee = (path = '') => `${host.url}/gitee/api/v5/repos/${REPOSITORY}/releases${path}`;
const list = async (url: string) => (await (await fetch(url)).json()) as Listed[];

it('lists releases like GitHub, with files that can be downloaded', async () => {
  await host.publish(REPOSITORY, RELEASE, { tag_name: 'v0.9.0', draft: true });
  const [release, draft] = await list(github());
  expect(release).toMatchObject({
    ...{ id: 1, tag_name: 'v1.0.0', name: 'First', draft: false, prerelease: false },
    published_at: '2026-01-31T20:00:00Z',
    assets: [{ name: FILE.name, size: 13, content_type: 'application/x-sh', state: 'uploaded' }],
  });
  expect(draft).toMatchObject({ draft: true, published_at: null });
  const file = await fetch(release!.assets[0]!.browser_download_url);
  expect([file.headers.get('content-type'), await file.text()]).toEqual(['application/x-sh', FILE.content]);
});

it('lists releases like Gitee: source archives among the files, sizes by a second call, no drafts', async () => {
  await host.publish(REPOSITORY, RELEASE, { tag_name: 'v0.9.0', draft: true });
  const releases = await list(gitee());
  expect(releases).toHaveLength(1);
  const { id, created_at: createdAt, assets } = releases[0]!;
  expect(createdAt).toBe('2026-02-01T04:00:00+08:00');
  expect(assets.map(({ name }) => name)).toEqual([FILE.name, 'v1.0.0.zip', 'v1.0.0.tar.gz']);
  expect(assets[0]).not.toHaveProperty('size');
  const [file, ...others] = (await list(gitee(`/${id}/attach_files`))) as unknown as Listed['assets'];
  expect([file, others]).toEqual([expect.objectContaining({ name: FILE.name, size: 13 }), []]);
  expect(await (await fetch(file!.browser_download_url)).text()).toBe(FILE.content);
});

it('paginates lists', async () => {
  await host.publish(
    REPOSITORY,
    ...Array.from({ length: 45 }, (_, index) => ({ tag_name: `v0.0.${index}` })),
  );
  const second = await fetch(github('?per_page=20&page=2'));
  expect(second.headers.get('link')).toContain(`<${github('?per_page=20&page=3')}>; rel="next"`);
  expect(((await second.json()) as Listed[])[0]!.tag_name).toBe('v0.0.20');
  const last = await fetch(github('?per_page=20&page=3'));
  expect([((await last.json()) as Listed[]).length, last.headers.get('link')]).toEqual([5, null]);
  expect((await fetch(gitee('?per_page=20'))).headers.get('total_page')).toBe('3');
});

it('answers 304 for an unchanged list, and records the requests', async () => {
  await host.forgetRequests();
  const etag = (await fetch(github())).headers.get('etag')!;
  const again = () => fetch(github(), { headers: { 'If-None-Match': etag } });
  expect((await again()).status).toBe(304);
  await host.publish(REPOSITORY, { ...RELEASE, name: 'Other' });
  expect((await again()).status).toBe(200);
  const requests = await host.requests(REPOSITORY);
  expect(requests.map(({ if_none_match: tag, status }) => [tag, status])).toEqual([
    [null, 200],
    [etag, 304],
    [etag, 200],
  ]);
});

it('answers 404 for other repositories, paths and files', async () => {
  const paths = ['/github/api/repos/acme/other/releases', '/github/api/user', '/elsewhere'];
  const files = [`/github/${REPOSITORY}/releases/download/v1.0.0/other`];
  for (const path of [...paths, ...files]) expect((await fetch(host.url + path)).status).toBe(404);
});

it('requires its token', async () => {
  const own = await SandboxCodeHost.start({ site: 'cn', token: 'a-token' });
  await own.publish(REPOSITORY, RELEASE);
  const ask = async (query: string, authorization?: string) => {
    const headers = { ...(authorization && { Authorization: authorization }) };
    return (await fetch(`${own.url}/gitee/api/v5/repos/${REPOSITORY}/releases${query}`, { headers })).status;
  };
  expect([await ask(''), await ask('', 'Bearer other'), await ask('?access_token=other')]).toEqual([
    401, 401, 401,
  ]);
  expect([await ask('', 'Bearer a-token'), await ask('?access_token=a-token')]).toEqual([200, 200]);
  await own.stop();
});

it('injects faults for one repository and one kind of call', async () => {
  await host.tell({ status: 429, headers: { 'Retry-After': '7' }, body: '<html>', repository: REPOSITORY });
  const answer = await fetch(github());
  expect([answer.status, answer.headers.get('retry-after'), await answer.text()]).toEqual([
    429,
    '7',
    '<html>',
  ]);
  await host.tell({ status: 500, repository: 'acme/other' });
  expect((await fetch(github())).status).toBe(200);
  await host.tell({ status: 500, call: 'attach_files' });
  expect([(await fetch(gitee())).status, (await fetch(gitee('/1/attach_files'))).status]).toEqual([200, 500]);
  await host.tell({ fault: 'truncated' });
  await expect(list(github())).rejects.toThrow('JSON');
  for (const fault of ['cut', 'cut_midway'] as const) {
    await host.tell({ fault });
    await expect(list(github())).rejects.toThrow();
  }
  for (const fault of ['hang', 'stalled'] as const) {
    await host.tell({ fault });
    const given = fetch(github(), { signal: AbortSignal.timeout(300) }).then((response) => response.text());
    await expect(given).rejects.toThrow('timeout');
  }
  await host.tell({ fault: 'endless' });
  let bytes = 0;
  for await (const chunk of (await fetch(github())).body ?? []) {
    bytes += (chunk as Uint8Array).length;
    if (bytes > 10_000_000) break;
  }
  expect(bytes).toBeGreaterThan(10_000_000);
  await host.tell();
  expect((await fetch(github())).status).toBe(200);
});

it('rejects an invalid configuration of faults', async () => {
  await expect(host.tell({ status: 1 })).rejects.toThrow('refused');
  await expect(host.tell({ rubbish: true } as object)).rejects.toThrow('refused');
  await expect(host.publish(REPOSITORY, { tag_name: 1 } as never)).rejects.toThrow('refused');
});
