import { randomBytes } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { SandboxCodeHost } from '@inference/sandbox-code-host';
import { rememberSecret, waitFor } from '@inference/testing';
import { TestConsole } from '../../../testing/console.fixture';
import { recordFailure } from './followed-repositories.repository';
import { FollowedRepositoriesService } from './followed-repositories.service';
import { FollowingSite, hostedRelease, REPOSITORIES } from '../releases.fixture';

let following: FollowingSite;
const others: TestConsole[] = [];

beforeAll(async () => (following = await FollowingSite.start('intl')));
beforeEach(async () => {
  await following.host.tell();
  await following.poll('engine');
  await following.poll('memo');
  await following.host.forgetRequests();
});
afterEach(async () => {
  await following.host.tell();
  await Promise.all(others.splice(0).map((other) => other.close()));
});
afterAll(() => following.stop());

async function startOther(environment: Record<string, string> = {}): Promise<TestConsole> {
  const url = following.site.database.urlFor('console');
  others.push(await TestConsole.start(url, { ...following.environment, ...environment }));
  return others.at(-1)!;
}

async function stop(other: TestConsole): Promise<void> {
  others.splice(others.indexOf(other), 1);
  await other.close();
}

const follow = (repositories: Record<string, string>) => ({
  RELEASE_REPOSITORIES: JSON.stringify(repositories),
});

describe('several replicas', () => {
  it('read each repository once', async () => {
    await following.postpone();
    await startOther();
    await startOther();
    await following.makeDue('engine', 'memo');
    await waitFor(
      async () => (await following.row('engine'))?.checked_at && (await following.row('memo'))?.checked_at,
    );
    for (const repository of Object.values(REPOSITORIES))
      expect(await following.host.requests(repository)).toHaveLength(1);
  });

  it('leave a claimed repository alone until the claim expires', async () => {
    const { pool } = following.site.database;
    const claim = (until: string) =>
      pool.query(
        `UPDATE catalogue.followed_repositories SET claimed_until = now() + $1::interval, next_check_at = now(), checked_at = NULL
         WHERE component = 'engine'`,
        [until],
      );
    await claim('1 minute');
    // Reads run one after the other from here on.
    for (let round = 0; round < 3; round++) await following.poll('memo');
    expect(await following.host.requests('acme/engine')).toEqual([]);
    await claim('-1 second');
    await waitFor(async () => (await following.row())?.checked_at);
    expect(await following.host.requests('acme/engine')).toHaveLength(1);
  });

  it('take over the repositories of a replica that shuts down', async () => {
    const repositories = follow({ ...REPOSITORIES, agent: 'acme/agent' });
    await following.host.publish('acme/agent', hostedRelease('v1.0.0'));
    await following.host.tell({ fault: 'hang', repository: 'acme/agent' });
    // No other replica follows that repository.
    const first = await startOther(repositories);
    await waitFor(async () => (await following.host.requests('acme/agent')).length === 1);
    expect((await following.row('agent'))!.claimed_until).not.toBeNull();
    await stop(first);
    expect(await following.row('agent')).toMatchObject({
      claimed_until: null,
      failures: 0,
      checked_at: null,
    });
    await following.host.tell();
    await startOther(repositories);
    await waitFor(async () => (await following.latest('agent'))?.tag_name === 'v1.0.0');
  });

  it('discard a response after the claim has passed to another replica', async () => {
    const late = { tag: 'v66.0.0', name: 'Late', prerelease: false, assets: [], publishedAt: new Date() };
    const before = await following.row();
    const claimed = {
      component: 'engine',
      repository: 'acme/engine',
      etag: null,
      failures: 0,
      lastError: null,
    } as const;
    const { pool } = following.site.database;
    const claim = '2026-01-01T00:00:00Z';
    const followed = new FollowedRepositoriesService(pool);
    await followed.recordRelease({ ...claimed, claim }, { release: late, etag: 'late' }, 10);
    await recordFailure(pool, { ...claimed, claim }, 'late', 10);
    expect({ ...(await following.row()), seconds_left: 0 }).toEqual({ ...before, seconds_left: 0 });
    expect((await following.latest())?.tag_name).not.toBe('v66.0.0');
  });

  it('start again after the repository of a component has changed', async () => {
    await following.host.publish('acme/engine', hostedRelease('v6.6.6'));
    await following.host.publish('acme/fork', hostedRelease('v2.0.0'));
    await following.host.tell({ fault: 'stalled', repository: 'acme/engine' });
    await following.makeDue('engine');
    await waitFor(async () => (await following.host.requests('acme/engine')).length === 1);
    await startOther(follow({ ...REPOSITORIES, engine: 'acme/fork' }));
    await waitFor(async () => (await following.latest())?.tag_name === 'v2.0.0');
    const [first] = await following.host.requests('acme/fork');
    expect(first).toMatchObject({ if_none_match: null, status: 200 });
    // The first replica ignores repositories that it does not follow.
    expect(await following.row()).toMatchObject({ repository: 'acme/fork', failures: 0 });
    await startOther();
    await following.host.tell();
    await waitFor(async () => (await following.latest())?.tag_name === 'v6.6.6');
  });
});

it('remove the release of a component that is no longer followed', async () => {
  const { pool } = following.site.database;
  await pool.query(
    `INSERT INTO catalogue.releases (component, tag_name, source, name, draft, prerelease, assets, published_at)
     VALUES ('memo', 'v0.5.0', 'admin', 'Own', false, false, '[]', now())`,
  );
  await startOther(follow({ engine: 'acme/engine' }));
  await waitFor(async () => (await following.latest('memo'))?.tag_name === 'v0.5.0');
  expect(await following.row('memo')).toBeUndefined();
  const changedAt = await following.changedAt();
  const again = await startOther(follow({ engine: 'acme/engine' }));
  await following.poll();
  await stop(again);
  expect(await following.changedAt()).toEqual(changedAt);
  await startOther();
  await waitFor(async () => (await following.latest('memo'))?.tag_name === 'v1.0.0');
});

describe('a code host that fails', () => {
  it('is polled with backoff until it answers again', async () => {
    await following.host.tell({ status: 503 });
    for (let failures = 1; failures <= 5; failures++) {
      const row = await following.poll();
      expect(row.failures).toBe(failures);
      expect(row.pause_seconds).toBeGreaterThanOrEqual((10 * 2 ** (failures - 1)) / 2 - 0.001);
      expect(row.pause_seconds).toBeLessThanOrEqual(10 * 2 ** (failures - 1) + 0.001);
    }
    await following.host.tell();
    expect((await following.poll()).pause_seconds).toBeCloseTo(10, 3);
  });

  it.each<[string, number, () => Record<string, string>]>([
    [
      'a limit of calls',
      403,
      () => ({ 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': String(epoch() + 3_000) }),
    ],
    ['Retry-After in seconds', 429, () => ({ 'Retry-After': '3000' })],
    [
      'Retry-After as a date',
      503,
      () => ({ 'Retry-After': new Date((epoch() + 3_000) * 1_000).toUTCString() }),
    ],
  ])('is not polled before the time that it names: %s', async (_what, status, headers) => {
    await following.host.tell({ status, headers: headers() });
    const row = await following.poll();
    expect(row.last_error).toContain(`status ${status}`);
    expect(row.pause_seconds).toBeGreaterThan(2_900);
    expect((await following.latest())?.tag_name).toBeDefined();
  });

  it('is polled again after a day even if it asks for years', async () => {
    await following.host.tell({ status: 429, headers: { 'Retry-After': '999999999' } });
    expect((await following.poll()).pause_seconds).toBeCloseTo(86_400, 3);
  });

  it('is not polled before its rate limit resets, even after a success', async () => {
    await following.host.tell({
      headers: { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': String(epoch() + 3_000) },
    });
    expect((await following.poll()).pause_seconds).toBeGreaterThan(2_900);
  });

  it('is logged once and always visible to admins', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn');
    const info = jest.spyOn(Logger.prototype, 'log');
    const said = (spy: jest.SpyInstance) =>
      spy.mock.calls.filter(([text]) => String(text).includes('acme/engine'));
    await following.host.tell({ status: 503 });
    for (let time = 0; time < 3; time++) await following.poll();
    await waitFor(() => said(warn).length > 0);
    expect(said(warn)).toEqual([[expect.stringContaining('engine at acme/engine cannot be followed: ')]]);
    await following.host.tell({ status: 404 });
    await following.poll();
    await waitFor(() => said(warn).length === 2);
    const admin = await following.site.signedIn('admin');
    const followed = () => following.site.console.request('GET', '/api/admin/releases/followed', admin);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
    const both = [
      {
        component: 'engine',
        repository: 'acme/engine',
        failures: 4,
        last_error: 'the code host answers with status 404',
      },
      { component: 'memo', repository: 'acme/memo', failures: 0, last_error: null, tag_name: 'v1.0.0' },
    ].map((row) =>
      expect.objectContaining({ ...row, checked_at: time, succeeded_at: time, next_check_at: time }),
    );
    expect((await followed()).body).toEqual({ repositories: both });
    expect(said(info)).toEqual([]);
    await following.host.tell();
    await following.poll();
    await waitFor(() => said(info).length === 1);
    jest.restoreAllMocks();
  });
});

describe('the token of the code host', () => {
  it.each(['intl', 'cn'] as const)('is sent at the %s site', async (name) => {
    const token = `tok_${randomBytes(20).toString('hex')}`;
    rememberSecret(token);
    const own = await FollowingSite.start(name, token);
    try {
      expect(await own.host.requests()).toContainEqual(
        expect.objectContaining({ has_token: true, status: 200 }),
      );
      const url = own.site.database.urlFor('console');
      await own.site.console.close();
      const other = await TestConsole.start(url, {
        ...own.environment,
        CODE_HOST_TOKEN: `${token}x`,
        SITE: name,
      });
      await own.makeDue('engine');
      const row = await waitFor(async () => {
        const found = await own.row();
        return found?.failures ? found : null;
      });
      expect(row.last_error).toContain('status 401');
      expect(row.last_error).not.toContain(token);
      await other.close();
    } finally {
      await own.site.database.drop();
      await own.host.stop();
    }
  });

  it('is not sent to the target of a redirect', async () => {
    const elsewhere = await SandboxCodeHost.start({ site: 'intl' });
    await following.host.tell({
      status: 302,
      headers: { Location: `${elsewhere.url}/github/api/repos/acme/engine/releases` },
    });
    await following.poll();
    expect(await elsewhere.requests()).toEqual([]);
    await elsewhere.stop();
  });
});

const epoch = () => Math.floor(Date.now() / 1_000);
