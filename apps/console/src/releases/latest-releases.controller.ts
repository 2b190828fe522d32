import { applyDecorators, Controller, Get, Inject, NotFoundException, Req } from '@nestjs/common';
import { SQL_POOL, type SqlPool } from '@inference/database';
import { Public } from '@inference/http';
import { type Request } from 'express';
import { type Cacheable, Cached } from '../caching/cached';
import { readChange } from '../caching/changes';
import { type Component } from './component';
import { findLatest, releaseView } from './release';
import { ReleaseLookups } from './release-lookups';

const Latest = (component: Component) => applyDecorators(Get(`${component}-latest`), Public(), Cached());

/** Spec: Release downloads. 404 while a component has no published release. */
@Controller('api/download')
export class LatestReleasesController {
  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    private readonly lookups: ReleaseLookups,
  ) {}

  @Latest('engine')
  engine(@Req() request: Request): Promise<Cacheable> {
    return this.answer('engine', request);
  }

  @Latest('router')
  router(@Req() request: Request): Promise<Cacheable> {
    return this.answer('router', request);
  }

  @Latest('agent')
  agent(@Req() request: Request): Promise<Cacheable> {
    return this.answer('agent', request);
  }

  @Latest('memo')
  memo(@Req() request: Request): Promise<Cacheable> {
    return this.answer('memo', request);
  }

  private async answer(component: Component, { method }: Request): Promise<Cacheable> {
    const changedAt = await readChange(this.pool, 'releases');
    const release = await findLatest(this.pool, component);
    if (!release) throw new NotFoundException('no release of this component is published');
    // Somebody who asks by HEAD does not get to know it.
    if (method === 'GET') this.lookups.add(component, release.tag);
    return { body: releaseView(release), changedAt };
  }
}
