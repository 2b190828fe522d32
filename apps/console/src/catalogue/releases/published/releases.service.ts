import { BadRequestException, Inject, Injectable, NotFoundException } from '@nestjs/common';
import { Database, type Executor } from '@inference/database';
import { type Actor } from '../../../identity/audit-log/actor';
import { recordActorEvent } from '../../../identity/audit-log/audit-log';
import { type Component } from '../../components/component';
import { CODE_HOST_CONFIG, type CodeHostConfig } from '../code-host/code-host.config';
import { type Release, RELEASE_COLUMNS } from './release';
import {
  contentTypeOf,
  downloadUrlFault,
  normalizeUrl,
  type ReleaseAsset,
} from '../release-format/release-asset';
import { hasPrereleasePart } from '../release-format/release-tag';
import { type PutReleaseDto } from './releases.dto';

/** A replacement keeps the time of the first publication unless the input has another one. */
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

/**
 * Releases published by admins. If the code host has a release of the same tag, only the admin's counts, even as a draft.
 */
@Injectable()
export class ReleasesService {
  constructor(
    private readonly database: Database,
    @Inject(CODE_HOST_CONFIG) private readonly codeHost: CodeHostConfig,
  ) {}

  /** Creates the admin's release of this tag, or replaces it completely. */
  async put(
    admin: Actor,
    component: Component,
    tag: string,
    input: PutReleaseDto,
  ): Promise<{ release: Release; created: boolean }> {
    this.checkAgainstSite(tag, input);
    const { name, draft, prerelease = hasPrereleasePart(tag), published_at: publishedAt = null } = input;
    const assets = input.assets.map(({ name: file, url, size, content_type: type }): ReleaseAsset => ({
      name: file,
      url: normalizeUrl(url),
      size,
      content_type: type ?? contentTypeOf(file),
    }));
    return this.database.transaction(async (client) => {
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

  /** Removes the admin's release. Throws NotFoundException if there is none. */
  async remove(admin: Actor, component: Component, tag: string): Promise<void> {
    await this.database.transaction(async (client) => {
      const { rowCount } = await client.query(REMOVE, [component, tag]);
      // The rollback also undoes the change that the trigger has recorded.
      if (rowCount === 0) throw new NotFoundException('no release of this tag was published here');
      await this.record(client, admin, { component, tag_name: tag, action: 'removed' });
    });
  }

  private record(
    sql: Executor,
    admin: Actor,
    details: {
      component: Component;
      tag_name: string;
      draft?: boolean;
      action: 'created' | 'replaced' | 'removed';
    },
  ): Promise<void> {
    return recordActorEvent(sql, admin, 'admin.release_changed', details);
  }

  /** Checks that need the tag or the configuration. Throws BadRequestException with all faults. */
  private checkAgainstSite(tag: string, { prerelease, assets }: PutReleaseDto): void {
    const codeHostUrl = this.codeHost.url;
    const faults = assets.flatMap(({ url }, index) => {
      const fault = downloadUrlFault(url, codeHostUrl);
      return fault === null ? [] : [`assets.${index}.url: ${fault}`];
    });
    if (prerelease === false && hasPrereleasePart(tag))
      faults.unshift(`prerelease: must not be false, since ${tag} is a prerelease`);
    if (faults.length > 0) throw new BadRequestException(faults.join('; '));
  }
}
