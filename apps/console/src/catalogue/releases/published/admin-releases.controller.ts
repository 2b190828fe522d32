import { Controller, Delete, Get, Header, HttpCode, Inject, Put, Res } from '@nestjs/common';
import { Roles } from '@inference/guards';
import { SQL_POOL, type SqlPool } from '@inference/database';
import { readPage, ValidBody, ValidQuery } from '@inference/http';
import { type Response } from 'express';
import { type Actor, CurrentActor } from '../../../identity/audit-log/actor';
import { type Component } from '../../components/component';
import { type AdminReleaseView, adminReleaseView, listReleases } from './release';
import { ComponentParam, TagParam } from './release-params';
import { releaseInput, type ReleaseInput, releasesQuery, type ReleasesQuery } from './releases.dto';
import { ReleasesService } from './releases.service';

@Controller('api/admin/releases')
@Roles('admin')
export class AdminReleasesController {
  constructor(
    private readonly releases: ReleasesService,
    @Inject(SQL_POOL) private readonly pool: SqlPool,
  ) {}

  /**
   * Releases of all components or of `component`, newest first, including drafts and followed releases:
   * `{releases, next_cursor}`.
   */
  @Get()
  @Header('Cache-Control', 'no-store')
  async list(
    @ValidQuery(releasesQuery) { component, ...query }: ReleasesQuery,
  ): Promise<{ releases: AdminReleaseView[]; next_cursor: string | null }> {
    const list = `admin releases ${component ?? ''}`;
    const { rows, nextCursor } = await readPage(list, query, (after, count) =>
      listReleases(this.pool, component, after, count),
    );
    return { releases: rows.map(adminReleaseView), next_cursor: nextCursor };
  }

  /**
   * Takes `{name, draft?, prerelease?, published_at?, assets: [{name, url, size, content_type?}]}`. Answers 201 with a new
   * release, 200 if it replaces an earlier one of this tag, 404 for an unknown component. Answers 400 with all faults of
   * the fields or, if there are none, with all URLs that are not allowed. A draft hides the followed release of its tag.
   */
  @Put(':component/:tag')
  async put(
    @CurrentActor() admin: Actor,
    @ComponentParam() component: Component,
    @TagParam() tag: string,
    @ValidBody(releaseInput) input: ReleaseInput,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AdminReleaseView> {
    const { release, created } = await this.releases.put(admin, component, tag, input);
    if (created) response.status(201);
    return adminReleaseView(release);
  }

  /** Removes the admins' release; a followed release of the same tag is effective again. Answers 404 if there is none. */
  @Delete(':component/:tag')
  @HttpCode(204)
  remove(
    @CurrentActor() admin: Actor,
    @ComponentParam() component: Component,
    @TagParam() tag: string,
  ): Promise<void> {
    return this.releases.remove(admin, component, tag);
  }
}
