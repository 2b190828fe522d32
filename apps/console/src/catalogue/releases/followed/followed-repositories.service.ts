import { isDeepStrictEqual } from 'node:util';
import { Database } from '@inference/database';
import { Injectable } from '@nestjs/common';
import { type Component } from '../../component';
import { type CodeHostRelease } from '../code-host/code-host';
import {
  deleteFollowedReleases,
  findFollowedRelease,
  lockFollowedReleasesExcept,
  type PublishedRelease,
  storeFollowedRelease,
} from '../published/releases.repository';
import { type FollowedRepositoryResponse } from './followed-repositories.dto';
import {
  type ClaimedRepository,
  deleteRepositoriesExcept,
  listFollowed,
  lockClaim,
  recordStored,
  type RepositoryByComponent,
  storeRepositories,
} from './followed-repositories.repository';

/** The repositories whose releases are followed. */
@Injectable()
export class FollowedRepositoriesService {
  constructor(private readonly database: Database) {}

  /** Ordered by component. */
  list(): Promise<FollowedRepositoryResponse[]> {
    return listFollowed(this.database);
  }

  /** Makes these the followed repositories. Removes the followed releases of components that are not among them. */
  async replaceAll(repositories: RepositoryByComponent): Promise<void> {
    const components = Object.keys(repositories) as Component[];
    await this.database.transaction(async (transaction) => {
      await storeRepositories(transaction, repositories);
      await deleteRepositoriesExcept(transaction, components);
      // The trigger records a change even if nothing is removed.
      const orphaned = await lockFollowedReleasesExcept(transaction, components);
      if (orphaned.length > 0) await deleteFollowedReleases(transaction, orphaned);
    });
  }

  /**
   * Replaces the followed release of the component, or removes it if null. An equal release is not written, so that
   * readers see no change. Does nothing if the claim has ended.
   */
  async recordRelease(
    claimed: ClaimedRepository,
    { release, etag }: { release: CodeHostRelease | null; etag: string | null },
    delaySeconds: number,
  ): Promise<void> {
    const { component } = claimed;
    await this.database.transaction(async (transaction) => {
      if (!(await lockClaim(transaction, claimed))) return;
      const current = await findFollowedRelease(transaction, component);
      if (!isDeepStrictEqual(current && contentOf(current), release)) {
        if (release) {
          const { tag: tagName, ...content } = release;
          await storeFollowedRelease(transaction, { component, tagName, ...content });
        } else await deleteFollowedReleases(transaction, [component]);
      }
      await recordStored(transaction, claimed, etag, delaySeconds);
    });
  }
}

function contentOf({
  tagName: tag,
  name,
  prerelease,
  assets,
  publishedAt,
}: PublishedRelease): CodeHostRelease {
  return { tag, name, prerelease, assets, publishedAt };
}
