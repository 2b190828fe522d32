import { Database, type Transaction } from '@inference/database';
import { readPage } from '@inference/http';
import { BadRequestException, Inject, Injectable, NotFoundException } from '@nestjs/common';
import { type Actor } from '../../../accounts/audit-log/actor';
import { recordActorEvent } from '../../../accounts/audit-log/audit-log';
import { type CacheableResponse } from '../../../caching/cached.decorator';
import { readLastChange } from '../../../caching/catalogue-changes.repository';
import { CODE_HOST_CONFIG, type CodeHostConfig } from '../../catalogue.config';
import { type Component } from '../../component';
import { contentTypeOf, downloadUrlFault, normalizeUrl, type ReleaseAsset } from '../release-asset';
import { hasPrereleasePart, sortReleases } from '../release-tag';
import {
  type AdminReleaseListResponse,
  type AdminReleaseResponse,
  type PutReleaseDto,
  type ReleaseResponse,
  type ReleasesQuery,
} from './releases.dto';
import {
  deleteAdminRelease,
  findPublishedRelease,
  listEffectiveReleases,
  listReleases,
  type PublishedRelease,
  type ReleaseContent,
  storeAdminRelease,
} from './releases.repository';

/**
 * The releases. If an admin and the code host have published the same tag, only the admin’s counts, even as a draft.
 */
@Injectable()
export class ReleasesService {
  constructor(
    private readonly database: Database,
    @Inject(CODE_HOST_CONFIG) private readonly codeHost: CodeHostConfig,
  ) {}

  /** Releases of one component or of all, newest first, including drafts and followed releases. */
  async list({ component, ...query }: ReleasesQuery): Promise<AdminReleaseListResponse> {
    const list = `admin releases ${component ?? ''}`;
    const { rows, nextCursor } = await readPage(list, query, (after, count) =>
      listReleases(this.database, component, after, count),
    );
    return { releases: rows.map(adminReleaseResponse), next_cursor: nextCursor };
  }

  /**
   * Returns the newest published release by semantic version, a prerelease only if there is no other. A release whose
   * files are not at the code host does not count: the code host was a different one at the time. Throws
   * NotFoundException if there is none.
   */
  async findLatest(component: Component): Promise<CacheableResponse<ReleaseResponse>> {
    const changedAt = await readLastChange(this.database, 'releases');
    const origin = `${new URL(this.codeHost.url).origin}/`;
    for (;;) {
      const effective = await listEffectiveReleases(this.database, component, origin);
      const [latest] = sortReleases(effective);
      if (!latest) throw new NotFoundException('no release of this component is published');
      const { tag: tagName, source } = latest;
      const found = await findPublishedRelease(this.database, { component, tagName, source });
      if (found) return { body: releaseResponse(found), changedAt };
      // It was replaced or removed between the two statements: try again.
    }
  }

  /** Creates the admin's release of this tag, or replaces it completely. */
  async put(
    admin: Actor,
    component: Component,
    tag: string,
    input: PutReleaseDto,
  ): Promise<{ release: AdminReleaseResponse; created: boolean }> {
    this.checkAgainstSite(tag, input);
    const { name, draft, prerelease = hasPrereleasePart(tag), published_at: publishedAt = null } = input;
    const assets = input.assets.map(({ name: file, url, size, content_type: type }): ReleaseAsset => ({
      name: file,
      url: normalizeUrl(url),
      size,
      content_type: type ?? contentTypeOf(file),
    }));
    const content = { component, tagName: tag, name, draft, prerelease, assets, publishedAt };
    return this.database.transaction(async (transaction) => {
      const { release, created } = await storeAdminRelease(transaction, content);
      const action = created ? 'created' : 'replaced';
      await this.record(transaction, admin, { component, tag_name: tag, draft, action });
      return { release: adminReleaseResponse(release), created };
    });
  }

  /** Removes the admin's release. Throws NotFoundException if there is none. */
  async remove(admin: Actor, component: Component, tag: string): Promise<void> {
    await this.database.transaction(async (transaction) => {
      // The rollback also undoes the change that the trigger has recorded.
      if (!(await deleteAdminRelease(transaction, component, tag)))
        throw new NotFoundException('no release of this tag was published here');
      await this.record(transaction, admin, { component, tag_name: tag, action: 'removed' });
    });
  }

  private record(
    transaction: Transaction,
    admin: Actor,
    details: {
      component: Component;
      tag_name: string;
      draft?: boolean;
      action: 'created' | 'replaced' | 'removed';
    },
  ): Promise<void> {
    return recordActorEvent(transaction, admin, 'admin.release_changed', details);
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

const responseOf = ({ tagName, name, prerelease, assets }: ReleaseContent) => ({
  tag_name: tagName,
  name,
  prerelease,
  // jsonb does not keep the order of fields.
  assets: assets.map(({ name, url, size, content_type }) => ({ name, url, size, content_type })),
});

const releaseResponse = (release: PublishedRelease): ReleaseResponse => ({
  ...responseOf(release),
  published_at: release.publishedAt.toISOString(),
});

const adminReleaseResponse = (release: ReleaseContent): AdminReleaseResponse => ({
  component: release.component,
  source: release.source,
  draft: release.draft,
  ...responseOf(release),
  published_at: release.publishedAt?.toISOString() ?? null,
});
