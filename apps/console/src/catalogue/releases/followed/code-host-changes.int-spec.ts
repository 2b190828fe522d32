import { type SandboxRelease } from '@inference/sandbox-code-host';
import { type FollowedRow, FollowingSite, hostedRelease, type TestSiteName } from '../releases.fixture';

const ENGINE = 'acme/engine';
const FILE = { name: 'engine-linux-x86_64.tar.gz', content: 'x' };
const UNFINISHED = { ...FILE, name: 'engine-windows-arm64.zip', state: 'starter' };
/** A little more than an hour. */
const LONG_AGO = '3601 seconds';

let following: FollowingSite;
const publish = (...releases: SandboxRelease[]) => following.host.publish(ENGINE, ...releases);
const latestTag = async () => (await following.latest())?.tag_name;
const tagAfter = async (...releases: SandboxRelease[]) => {
  await publish(...releases);
  expect(await following.poll()).toMatchObject({ failures: 0, last_error: null });
  return latestTag();
};
const small = (count: number) =>
  Array.from({ length: count }, (_, index) => hostedRelease(`v0.0.${index}`, { assets: [FILE] }));
const callsOf = async (call: string) =>
  (await following.host.requests(ENGINE)).filter(({ path }) => path.includes(`/${call}?`));
/** Checks that an invalid response is refused and recorded. */
async function expectRefused(lastError: RegExp): Promise<FollowedRow> {
  const row = await following.poll();
  expect(row).toMatchObject({ failures: 1, last_error: expect.stringMatching(lastError) });
  expect(await latestTag()).toBe('v1.0.0');
  return row;
}

describe.each<TestSiteName>(['intl', 'cn'])('a change at the code host of the %s site', (name) => {
  const isGithub = name === 'intl';
  beforeAll(async () => (following = await FollowingSite.start(name)));
  beforeEach(async () => {
    await following.host.tell();
    expect(await tagAfter(hostedRelease('v1.0.0'))).toBe('v1.0.0');
    await following.host.forgetRequests();
  });
  afterAll(() => following.stop());

  it.each([100, 150])('is found behind an unchanged first page: %d releases before it', async (count) => {
    expect(await tagAfter(...small(count))).toBe(`v0.0.${count - 1}`);
    expect(await tagAfter(...small(count), hostedRelease('v3.0.0'))).toBe('v3.0.0');
    expect(await tagAfter(...small(count), hostedRelease('v3.0.0', { name: 'Other' }))).toBe('v3.0.0');
    expect((await following.latest())?.name).toBe('Other');
    expect(await tagAfter(...small(count))).toBe(`v0.0.${count - 1}`);
    expect(await following.row()).toMatchObject({ etag: null });
  });

  it('is found if a file was replaced under the same name', async () => {
    const sizeAfter = async (content: string) => {
      await tagAfter(hostedRelease('v1.0.0', { assets: [{ ...FILE, content }] }));
      return (await following.latest())?.assets[0]!.size;
    };
    expect(await sizeAfter('short')).toBe(5);
    expect(await sizeAfter('longer')).toBe(6);
  });

  if (isGithub)
    it('is found by a complete read once an hour, even if the host answers 304', async () => {
      const readAgo = async (interval: string) => {
        await following.site.database.pool.query(
          "UPDATE catalogue.followed_repositories SET read_at = now() - $1::interval WHERE component = 'engine'",
          [interval],
        );
        await following.host.forgetRequests();
        const { etag } = (await following.row())!;
        await following.poll();
        const [call] = await following.host.requests(ENGINE);
        return [call!.if_none_match === etag, call!.if_none_match, call!.status];
      };
      expect(await readAgo('50 minutes')).toEqual([true, expect.any(String), 304]);
      expect(await readAgo(LONG_AGO)).toEqual([false, null, 200]);
      await following.host.forgetRequests();
      await following.poll();
      expect(await following.host.requests(ENGINE)).toMatchObject([{ status: 304 }]);
    });

  it('leaves the published release while no release has complete files', async () => {
    await publish(hostedRelease('v2.0.0', { assets: [] }), hostedRelease('v1.0.0', { assets: [UNFINISHED] }));
    await expectRefused(/^none of the newest releases \(2\) has complete files$/);
    expect(await tagAfter(hostedRelease('v2.0.0'), hostedRelease('v1.0.0', { assets: [] }))).toBe('v2.0.0');
  });

  it('is searched for in the files of at most ten releases', async () => {
    const empty = Array.from({ length: 10 }, (_, index) => hostedRelease(`v2.0.${index}`, { assets: [] }));
    await publish(...empty, hostedRelease('v1.0.0'));
    await expectRefused(/^none of the newest releases \(10\) has complete files$/);
    expect(await callsOf('attach_files')).toHaveLength(isGithub ? 0 : 10);
    expect(await tagAfter(...empty.slice(1), hostedRelease('v1.5.0'))).toBe('v1.5.0');
  });

  it('removes the release when no published one is left', async () => {
    expect(
      await tagAfter(hostedRelease('v1.0.0', { draft: true }), hostedRelease('nightly')),
    ).toBeUndefined();
    expect(await tagAfter(hostedRelease('v1.0.0'))).toBe('v1.0.0');
    expect(await tagAfter()).toBeUndefined();
  });

  describe('is refused:', () => {
    const day = 86_400_000;
    const inDays = (days: number) => new Date(Date.now() + days * day).toISOString();

    it.each<[string, string]>([
      ['before 1970', '1969-12-31T23:59:59Z'],
      ['in the year 1', '0001-01-01T00:00:00Z'],
      ['in the future', inDays(1.1)],
      ['in the year 9999', '9999-12-31T00:00:00Z'],
    ])('a release %s', async (_what, published_at) => {
      await publish(hostedRelease('v2.0.0', { published_at }));
      await expectRefused(/since 1970 and not in the future/);
    });

    it('but tolerates a clock that is ahead', async () => {
      expect(await tagAfter(hostedRelease('v2.0.0', { published_at: inDays(0.9) }))).toBe('v2.0.0');
      expect(await tagAfter(hostedRelease('v2.0.0', { published_at: '1970-01-01T00:00:00Z' }))).toBe(
        'v2.0.0',
      );
    });

    it('more than 200 files', async () => {
      const files = Array.from({ length: 201 }, (_, index) => ({ ...FILE, name: `linux-arm64-${index}` }));
      await publish(hostedRelease('v2.0.0', { assets: files }));
      await expectRefused(/must be a list of at most 200$/);
      expect(await tagAfter(hostedRelease('v2.0.0', { assets: files.slice(1) }))).toBe('v2.0.0');
      expect((await following.latest())?.assets).toHaveLength(200);
    });

    it('two files of one name', async () => {
      await publish(hostedRelease('v2.0.0', { assets: [FILE, { ...FILE, content: 'y' }] }));
      await expectRefused(/two files of a release have the same name/);
    });

    const million = `[${'0,'.repeat(1_000_000)}0]`;
    it('a list of a million', async () => {
      await following.host.tell({ repository: ENGINE, call: 'releases', body: million });
      await expectRefused(/must be a list of at most 1000$/);
    });

    it('a million files', async () => {
      const entry = JSON.stringify({
        ...{ id: 1, tag_name: 'v2.0.0', name: 'x', draft: false, prerelease: false },
        published_at: inDays(-1),
      });
      await publish(hostedRelease('v2.0.0'));
      await following.host.tell(
        isGithub
          ? { repository: ENGINE, body: `[${entry.slice(0, -1)},"assets":${million}}]` }
          : { repository: ENGINE, call: 'attach_files', body: million },
      );
      await expectRefused(/must be a list of at most (200|1000)$/);
    });
  });

  it('is stored with its name on one line', async () => {
    await tagAfter(hostedRelease('v2.0.0', { name: 'one\u2028two\u2029three' }));
    expect((await following.latest())?.name).toBe('one two three');
  });
});
