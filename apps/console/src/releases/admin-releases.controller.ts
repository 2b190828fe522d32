import { Controller, Delete, Get, Header, HttpCode, Inject, Put, Res } from '@nestjs/common';
import { Roles } from '@inference/credentials';
import { SQL_POOL, type SqlPool } from '@inference/database';
import { readPage, ValidBody, ValidQuery } from '@inference/http';
import { type Response } from 'express';
import { type Actor, CurrentActor } from '../events/actor';
import { type Component } from './component';
import { type FollowedRepositoryView, listFollowed } from './followed-repositories';
import { type AdminReleaseView, adminReleaseView, listReleases } from './release';
import { ComponentParam, TagParam } from './release-params';
import { releaseBody, type ReleaseBody, releasesQuery, type ReleasesQuery } from './releases.dto';
import { ReleasesService } from './releases.service';

@Controller('api/admin/releases')
@Roles('admin')
export class AdminReleasesController {
  constructor(
    private readonly releases: ReleasesService,
    @Inject(SQL_POOL) private readonly pool: SqlPool,
  ) {}

  /** Of all components or of `component`, newest first, with drafts and the followed ones: `{releases, next_cursor}`. */
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

  /** How following each repository goes: `{repositories}`. */
  @Get('followed')
  @Header('Cache-Control', 'no-store')
  async listFollowed(): Promise<{ repositories: FollowedRepositoryView[] }> {
    return { repositories: await listFollowed(this.pool) };
  }

  /**
   * `{name, draft?, prerelease?, published_at?, assets: [{name, url, size, content_type?}]}` → 201 with the new release,
   * 200 with the one that replaces an earlier one of this tag; 400 naming every fault of the fields, or else every URL that
   * is not fit; 404 for an unknown component. A draft hides the followed release of its tag as well.
   */
  @Put(':component/:tag')
  async put(
    @CurrentActor() admin: Actor,
    @ComponentParam() component: Component,
    @TagParam() tag: string,
    @ValidBody(releaseBody) body: ReleaseBody,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AdminReleaseView> {
    const { release, created } = await this.releases.put(admin, component, tag, body);
    if (created) response.status(201);
    return adminReleaseView(release);
  }

  /** The admin's own, after which a followed one of this tag counts again; 404 without one. */
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
