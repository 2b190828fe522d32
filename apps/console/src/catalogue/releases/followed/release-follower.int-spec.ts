import { type SandboxRelease } from '@inference/sandbox-code-host';
import { FollowingSite, hostedRelease, type LatestRelease, type TestSiteName } from '../releases.fixture';

const ENGINE = 'acme/engine';
const FILE = { name: 'engine-linux-x86_64.tar.gz', content: 'x' };

let following: FollowingSite;
const publish = (...releases: SandboxRelease[]) => following.host.publish(ENGINE, ...releases);
const tagAfter = async (...releases: SandboxRelease[]) => {
  await publish(...releases);
  await following.poll();
  return (await following.latest())?.tag_name;
};

describe.each<TestSiteName>(['intl', 'cn'])(
  'the releases of a repository at the code host of the %s site',
  (name) => {
    const isGithub = name === 'intl';
    beforeAll(async () => (following = await FollowingSite.start(name)));
    beforeEach(async () => {
      await following.host.tell();
      await publish(hostedRelease('v1.0.0'));
      await following.poll();
    });
    afterAll(() => following.stop());

    it('are published with files that can be downloaded from the code host', async () => {
      await publish({
        ...hostedRelease('v1.1.0'),
        published_at: '2026-05-06T07:08:09Z',
        assets: [
          { name: 'engine v1.1.0 linux x86_64.zip', content: 'a file', content_type: 'application/x-own' },
          { name: 'SHA256SUMS', content: 'sums', content_type: null },
          { name: '引擎-linux-arm64', content: '' },
        ],
      });
      await following.poll();
      const latest = (await following.latest()) as LatestRelease;
      expect(latest).toEqual({
        tag_name: 'v1.1.0',
        name: 'Release v1.1.0',
        prerelease: false,
        published_at: '2026-05-06T07:08:09.000Z',
        assets: [
          {
            name: 'engine v1.1.0 linux x86_64.zip',
            url: expect.stringContaining(`${following.host.url}/${isGithub ? 'github' : 'gitee'}/${ENGINE}/`),
            size: 6,
            content_type: isGithub ? 'application/x-own' : 'application/zip',
          },
          expect.objectContaining({ name: 'SHA256SUMS', size: 4, content_type: 'application/octet-stream' }),
          expect.objectContaining({ name: '引擎-linux-arm64', size: 0 }),
        ],
      });
      expect(await (await fetch(latest.assets[0]!.url)).text()).toBe('a file');
    });

    it('are ordered by version, prereleases last', async () => {
      const prerelease = hostedRelease('v9.0.0', { prerelease: true });
      expect(
        await tagAfter(
          hostedRelease('v1.9.9'),
          prerelease,
          hostedRelease('v2.0.0-rc.1'),
          hostedRelease('v1.10.0'),
        ),
      ).toBe('v1.10.0');
      expect(await tagAfter(hostedRelease('v2.0.0-rc.2'), hostedRelease('v2.0.0-rc.10'))).toBe(
        'v2.0.0-rc.10',
      );
      expect((await following.latest())?.prerelease).toBe(true);
    });

    it('are ignored as drafts, without a version tag or without complete files', async () => {
      const unfinished = { ...FILE, name: 'engine-windows-arm64.zip', state: 'starter' };
      const left = hostedRelease('v1.2.0', { assets: [FILE, unfinished] });
      const others = ['nightly', '9.0.0', 'v9', 'v9.0.0+build', 'V9.0.0'].map((tag) => hostedRelease(tag));
      const draft = hostedRelease('v8.0.0', { draft: true });
      const empty = [
        hostedRelease('v7.0.0', { assets: [] }),
        hostedRelease('v6.0.0', { assets: [unfinished] }),
      ];
      expect(await tagAfter(draft, ...others, ...empty, left)).toBe('v1.2.0');
      expect((await following.latest())?.assets.map(({ name }) => name)).toEqual([FILE.name]);
    });

    it('are removed after the code host has removed them, including the last one', async () => {
      expect(await tagAfter(hostedRelease('v1.1.0'), hostedRelease('v1.0.0'))).toBe('v1.1.0');
      expect(await tagAfter(hostedRelease('v1.0.0'))).toBe('v1.0.0');
      expect(await tagAfter()).toBeUndefined();
      expect(await following.row()).toMatchObject({ failures: 0, last_error: null });
    });

    it('are found on all pages of a long list', async () => {
      const many = Array.from({ length: 230 }, (_, index) =>
        hostedRelease(`v0.0.${index}`, { assets: [FILE] }),
      );
      await following.host.forgetRequests();
      expect(await tagAfter(...many, hostedRelease('v3.0.0'))).toBe('v3.0.0');
      const pages = (await following.host.requests(ENGINE)).filter(({ path }) => path.includes('/releases?'));
      expect(pages.map(({ path }) => new URL(path, 'http://host').searchParams.get('page'))).toEqual([
        '1',
        '2',
        '3',
      ]);
    });

    it('are read from at most ten pages', async () => {
      const many = Array.from({ length: 1_000 }, (_, index) =>
        hostedRelease(`v0.0.${index}`, { assets: [FILE] }),
      );
      await following.host.forgetRequests();
      expect(await tagAfter(...many, hostedRelease('v3.0.0'))).toBe('v0.0.999');
      const pages = (await following.host.requests(ENGINE)).filter(({ path }) => path.includes('/releases?'));
      expect(pages).toHaveLength(10);
    });

    it('are requested with the headers of the API, and with an entity tag if it covers the files', async () => {
      await following.host.forgetRequests();
      const changedAt = await following.changedAt();
      const { etag, succeeded_at: before } = (await following.row())!;
      const row = await following.poll();
      expect(row).toMatchObject({ etag, failures: 0, last_error: null });
      expect(row.succeeded_at!.getTime()).toBeGreaterThan(before!.getTime());
      expect(row.pause_seconds).toBeCloseTo(10, 3);
      const asked = (call: RegExp) =>
        expect.objectContaining({
          path: expect.stringMatching(call),
          if_none_match: etag,
          status: isGithub ? 304 : 200,
          accept: isGithub ? 'application/vnd.github+json' : 'application/json',
          user_agent: 'inference-platform',
          api_version: isGithub ? '2022-11-28' : null,
          has_token: false,
        });
      expect(etag === null).toBe(!isGithub);
      expect(await following.host.requests(ENGINE)).toEqual(
        isGithub ? [asked(/releases\?/)] : [asked(/releases\?/), asked(/attach_files\?/)],
      );
      expect(await following.changedAt()).toEqual(changedAt);
    });

    it('update the change time only if the published release has changed', async () => {
      const changedAt = await following.changedAt();
      await tagAfter(hostedRelease('v1.0.0'), hostedRelease('v0.9.0'));
      expect(await following.changedAt()).toEqual(changedAt);
      await tagAfter(hostedRelease('v1.0.0', { name: 'Another name' }));
      expect((await following.changedAt()).getTime()).toBeGreaterThan(changedAt.getTime());
      expect((await following.latest())?.name).toBe('Another name');
    });

    it('may have any name', async () => {
      await tagAfter(hostedRelease('v1.4.0', { name: null }));
      expect((await following.latest())?.name).toBe('v1.4.0');
      await tagAfter(hostedRelease('v1.4.0', { name: ` a\0b\n${'😀'.repeat(300)}` }));
      expect((await following.latest())?.name).toBe(`a b ${'😀'.repeat(196)}`);
    });

    describe('that cannot be read leave the published release in place:', () => {
      const list = (more: object) =>
        JSON.stringify([
          {
            ...{ id: 1, tag_name: 'v2.0.0', name: 'x', draft: false, prerelease: false, assets: [] },
            ...{ published_at: '2026-01-01T00:00:00Z', created_at: '2026-01-01T00:00:00Z' },
            ...more,
          },
        ]);

      it.each<[string, Parameters<FollowingSite['host']['tell']>[0], RegExp]>([
        ['500', { status: 500 }, /status 500/],
        ['503', { status: 503 }, /status 503/],
        ['404', { status: 404 }, /status 404/],
        ['another place', { status: 301, headers: { Location: 'http://127.0.0.1:9/' } }, /status 301/],
        ['nothing', { status: 204, body: '' }, /status 204/],
        ['a cut connection', { fault: 'cut' }, /cannot be reached: (UND_ERR_SOCKET|ECONNRESET)/],
        ['half an answer', { fault: 'cut_midway' }, /cannot be reached: /],
        ['a page of HTML', { body: '<!doctype html><title>Sign in</title>' }, /is not JSON/],
        ['half the JSON', { fault: 'truncated' }, /is not JSON/],
        ['an answer without end', { fault: 'endless' }, /more than 20971520 bytes/],
        ['an object', { body: '{"message":"hello"}' }, /another shape/],
        ['null', { body: 'null' }, /another shape/],
        ['a list of null', { body: '[null]' }, /another shape: 0/],
        ['a tag that is a number', { body: list({ tag_name: 2 }) }, /another shape: 0\.tag_name/],
        [
          'a time that is none',
          { body: list({ published_at: 'soon', created_at: 'soon' }) },
          /another shape: 0/,
        ],
      ])('%s', async (_what, told, reason) => {
        await publish(hostedRelease('v2.0.0'));
        const { etag, succeeded_at } = (await following.row())!;
        await following.host.tell({ repository: ENGINE, call: 'releases', ...told });
        const row = await following.poll();
        expect(row).toMatchObject({
          failures: 1,
          last_error: expect.stringMatching(reason),
          etag,
          succeeded_at,
        });
        expect((await following.latest())?.tag_name).toBe('v1.0.0');
        await following.host.tell();
        expect(await following.poll()).toMatchObject({ failures: 0, last_error: null });
        expect((await following.latest())?.tag_name).toBe('v2.0.0');
      });

      it.each<[string, Partial<SandboxRelease['assets'] extends (infer A)[] | undefined ? A : never>]>([
        ['a script', { url: 'javascript:alert(1)' }],
        ['no URL', { url: 'engine.zip' }],
        ['another replica', { url: 'https://evil.example/engine.zip' }],
        ['another port of it', { url: 'http://127.0.0.1:9/engine.zip' }],
        ['credentials', { url: 'http://me:pw@127.0.0.1:9/engine.zip' }],
        ['a NUL in its name', { name: 'engine\0linux' }],
        ['a path as name', { name: '../engine' }],
        ['no name', { name: '' }],
        ['a name without end', { name: 'x'.repeat(100_000) }],
        ['a negative size', { size: -1 }],
        ['a size that is none', { size: 'large' }],
        ['a size that loses digits', { size: 2 ** 60 }],
      ])('a file with %s', async (_what, more) => {
        await publish(
          hostedRelease('v2.0.0', { assets: [FILE, { ...FILE, name: 'engine-linux-arm64', ...more }] }),
        );
        const row = await following.poll();
        expect(row).toMatchObject({
          failures: 1,
          last_error: expect.stringMatching(/shape|address of file 1/),
        });
        expect(row.last_error!.length).toBeLessThanOrEqual(300);
        expect((await following.latest())?.tag_name).toBe('v1.0.0');
      });

      it('an unreachable host', async () => {
        await following.host.stop();
        const row = await following.poll();
        expect(row).toMatchObject({
          failures: 1,
          last_error: expect.stringContaining('cannot be reached: ECONNREFUSED'),
        });
        expect((await following.latest())?.tag_name).toBe('v1.0.0');
        await following.host.restart();
        expect(await tagAfter(hostedRelease('v1.0.1'))).toBe('v1.0.1');
      });
    });
  },
);
