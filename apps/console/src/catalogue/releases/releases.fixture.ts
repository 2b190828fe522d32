import { SandboxCodeHost, type SandboxRelease } from '@inference/sandbox-code-host';
import { findFreePort, type TestPool, waitFor } from '@inference/testing';
import { TestSite } from '../../testing/console.fixture';
import { type Component } from '../component';

export type TestSiteName = 'intl' | 'cn';

/** The default code host of the intl site. */
export const ORIGIN = 'https://github.com';

export const fileOf = (tag: string) => ({
  name: `engine-${tag}-linux-x86_64.tar.gz`,
  url: `${ORIGIN}/acme/engine/releases/download/${tag}/engine-${tag}-linux-x86_64.tar.gz`,
  size: 1_234_567,
});
/** The body with which an admin publishes a release. */
export const bodyOf = (tag: string, more: object = {}) => ({
  name: `Engine ${tag}`,
  assets: [fileOf(tag)],
  ...more,
});

/**
 * Environment of a console that follows the engine at an unreachable host. A console that follows nothing would remove
 * the followed releases that the tests store.
 */
export const HOST_AWAY = {
  RELEASE_REPOSITORIES: '{"engine": "acme/engine"}',
  CODE_HOST_API_URL: 'http://127.0.0.1:9/api',
};

/** Stores a followed release of the engine. */
export const storeFollowed = (pool: TestPool, tag: string, name: string, assets: object[] = []) =>
  pool.query(
    `INSERT INTO catalogue.releases (component, tag_name, source, name, draft, prerelease, assets, published_at)
     VALUES ('engine', $1, 'code_host', $2, false, false, $3, now())`,
    [tag, name, JSON.stringify(assets.map((asset) => ({ content_type: 'application/gzip', ...asset })))],
  );

export const REPOSITORIES: Partial<Record<Component, string>> = { engine: 'acme/engine', memo: 'acme/memo' };

/** A row of catalogue.followed_repositories. */
export interface FollowedRow {
  repository: string;
  etag: string | null;
  failures: number;
  last_error: string | null;
  checked_at: Date | null;
  succeeded_at: Date | null;
  claimed_until: Date | null;
  pause_seconds: number;
  seconds_left: number;
}

/** A release at the code host, with a file for Linux. */
export const hostedRelease = (tag: string, more: Partial<SandboxRelease> = {}): SandboxRelease => ({
  tag_name: tag,
  name: `Release ${tag}`,
  assets: [{ name: `engine-${tag}-linux-x86_64.tar.gz`, content: tag, content_type: 'application/gzip' }],
  ...more,
});

/** A site that follows `acme/engine` and `acme/memo` at its own sandbox code host; both have v1.0.0. */
export class FollowingSite {
  private constructor(
    readonly host: SandboxCodeHost,
    readonly site: TestSite,
  ) {}

  static async start(name: TestSiteName, token?: string): Promise<FollowingSite> {
    const port = await findFreePort();
    const host = await SandboxCodeHost.start({ site: name, port, ...(token !== undefined && { token }) });
    for (const repository of Object.values(REPOSITORIES))
      await host.publish(repository, hostedRelease('v1.0.0'));
    const site = await TestSite.start({ SITE: name, ...host.consoleEnvironment(REPOSITORIES) });
    const following = new FollowingSite(host, site);
    await waitFor(async () => (await following.latest())?.tag_name === 'v1.0.0');
    await waitFor(async () => (await following.latest('memo'))?.tag_name === 'v1.0.0');
    return following;
  }

  get environment(): Record<string, string> {
    return this.host.consoleEnvironment(REPOSITORIES);
  }

  async row(component: Component = 'engine'): Promise<FollowedRow | undefined> {
    const { rows } = await this.site.database.pool.query<FollowedRow>(
      `SELECT *, extract(epoch FROM next_check_at - checked_at)::float8 AS pause_seconds,
         extract(epoch FROM next_check_at - now())::float8 AS seconds_left
       FROM catalogue.followed_repositories WHERE component = $1`,
      [component],
    );
    return rows[0];
  }

  async makeDue(...components: Component[]): Promise<void> {
    await this.site.database.pool.query(
      'UPDATE catalogue.followed_repositories SET next_check_at = now(), checked_at = NULL WHERE component = ANY ($1)',
      [components],
    );
  }

  /** Lets no repository be read for an hour, unless it is made due. */
  async postpone(): Promise<void> {
    await this.site.database.pool.query(
      "UPDATE catalogue.followed_repositories SET next_check_at = now() + interval '1 hour'",
    );
  }

  /** Resolves when the repository has been read once more. */
  async poll(component: Component = 'engine'): Promise<FollowedRow> {
    await this.makeDue(component);
    return waitFor(async () => {
      const row = await this.row(component);
      return row?.checked_at && row.claimed_until === null ? row : null;
    });
  }

  /** The latest release as clients get it; undefined for 404. */
  async latest(component: Component = 'engine'): Promise<LatestRelease | undefined> {
    const { status, body } = await this.site.console.request('GET', `/api/download/${component}-latest`);
    return status === 200 ? (body as LatestRelease) : undefined;
  }

  /** The time of the last change that readers can see. */
  async changedAt(): Promise<Date> {
    const { rows } = await this.site.database.pool.query<{ changed_at: Date }>(
      "SELECT changed_at FROM catalogue.changes WHERE topic = 'releases'",
    );
    return rows[0]!.changed_at;
  }

  async stop(): Promise<void> {
    await this.site.stop();
    await this.host.stop();
  }
}

export interface LatestRelease {
  tag_name: string;
  name: string;
  prerelease: boolean;
  published_at: string;
  assets: { name: string; url: string; size: number; content_type: string }[];
}
