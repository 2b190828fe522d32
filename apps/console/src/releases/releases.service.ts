import { BadRequestException, Inject, Injectable, NotFoundException } from '@nestjs/common';
import { inTransaction, type Sql, SQL_POOL, type SqlPool } from '@inference/database';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { type Actor } from '../events/actor';
import { recordAct } from '../events/security-events';
import { type Component } from './component';
import { type Release, RELEASE_COLUMNS } from './release';
import { downloadUrlFault, normalUrl } from './release-asset';
import { hasPrereleasePart } from './release-tag';
import { type ReleaseBody } from './releases.dto';

/** When it was first published stays, unless told otherwise. */
const PUT = `
  INSERT INTO catalogue.releases AS old
    (component, tag_name, source, name, draft, prerelease, assets, published_at)
  VALUES ($1, $2, 'admin', $3, $4, $5, $6,
    COALESCE($7::timestamptz, CASE WHEN NOT $4 THEN date_trunc('milliseconds', now()) END))
  ON CONFLICT (component, tag_name, source) DO UPDATE SET
    name = excluded.name, draft = excluded.draft, prerelease = excluded.prerelease, assets = excluded.assets,
    published_at = COALESCE($7, old.published_at, excluded.published_at), changed_at = clock_timestamp()
  RETURNING ${RELEASE_COLUMNS}, xmax = 0 AS created`;

const REMOVE = "DELETE FROM catalogue.releases WHERE component = $1 AND tag_name = $2 AND source = 'admin'";

/** What admins publish; where they and the code host have a release of the same tag, theirs alone counts, draft or not. */
@Injectable()
export class ReleasesService {
  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig,
  ) {}

  /** Makes the admin's release of this tag, or replaces it as a whole. */
  async put(
    admin: Actor,
    component: Component,
    tag: string,
    body: ReleaseBody,
  ): Promise<{ release: Release; created: boolean }> {
    this.requireFitting(tag, body);
    const { name, draft, prerelease = hasPrereleasePart(tag), published_at: publishedAt = null } = body;
    const assets = body.assets.map((asset) => ({ ...asset, url: normalUrl(asset.url) }));
    return inTransaction(this.pool, async (client) => {
      const { rows } = await client.query<Release & { created: boolean }>(PUT, [
        component,
        tag,
        name,
        draft,
        prerelease,
        JSON.stringify(assets),
        publishedAt,
      ]);
      const { created, ...release } = rows[0]!;
      const action = created ? 'created' : 'replaced';
      await this.record(client, admin, { component, tag_name: tag, draft, action });
      return { release, created };
    });
  }

  /** Of the admin's own, as if it had never been; 404 without one. */
  async remove(admin: Actor, component: Component, tag: string): Promise<void> {
    await inTransaction(this.pool, async (client) => {
      const { rowCount } = await client.query(REMOVE, [component, tag]);
      // With which the trigger's word of a change is undone as well.
      if (rowCount === 0) throw new NotFoundException('no release of this tag was published here');
      await this.record(client, admin, { component, tag_name: tag, action: 'removed' });
    });
  }

  private record(
    sql: Sql,
    admin: Actor,
    details: {
      component: Component;
      tag_name: string;
      draft?: boolean;
      action: 'created' | 'replaced' | 'removed';
    },
  ): Promise<void> {
    return recordAct(sql, admin, 'admin.release_changed', details);
  }

  /** What the body alone does not tell. */
  private requireFitting(tag: string, { prerelease, assets }: ReleaseBody): void {
    const codeHostUrl = this.config.catalogue.codeHost.url;
    const faults = assets.flatMap(({ url }, index) => {
      const fault = downloadUrlFault(url, codeHostUrl);
      return fault === null ? [] : [`assets.${index}.url: ${fault}`];
    });
    if (prerelease === false && hasPrereleasePart(tag))
      faults.unshift(`prerelease: must not be false, since ${tag} is a prerelease`);
    if (faults.length > 0) throw new BadRequestException(faults.join('; '));
  }
}
