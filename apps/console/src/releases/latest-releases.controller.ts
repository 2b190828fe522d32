import { applyDecorators, Controller, Get, Inject, NotFoundException, Res } from '@nestjs/common';
import { SQL_POOL, type SqlPool } from '@inference/database';
import { Public } from '@inference/http';
import { type Response } from 'express';
import { type Cacheable, Cached } from '../caching/cached';
import { readChange } from '../caching/changes';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { type Component } from './component';
import { findLatest, releaseView } from './release';
import { ReleaseLookups } from './release-lookups';

const Latest = (component: Component) => applyDecorators(Get(`${component}-latest`), Public(), Cached());

/** Spec: Release downloads. 404 while a component has no published release. */
@Controller('api/download')
export class LatestReleasesController {
  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig,
    private readonly lookups: ReleaseLookups,
  ) {}

  @Latest('engine')
  engine(@Res({ passthrough: true }) response: Response): Promise<Cacheable> {
    return this.answer('engine', response);
  }

  @Latest('router')
  router(@Res({ passthrough: true }) response: Response): Promise<Cacheable> {
    return this.answer('router', response);
  }

  @Latest('agent')
  agent(@Res({ passthrough: true }) response: Response): Promise<Cacheable> {
    return this.answer('agent', response);
  }

  @Latest('memo')
  memo(@Res({ passthrough: true }) response: Response): Promise<Cacheable> {
    return this.answer('memo', response);
  }

  private async answer(component: Component, response: Response): Promise<Cacheable> {
    const changedAt = await readChange(this.pool, 'releases');
    const release = await findLatest(this.pool, component, this.config.catalogue.codeHost.url);
    if (!release) throw new NotFoundException('no release of this component is published');
    response.once('finish', () => {
      // Who asks by HEAD does not get to know it, and who is told that it is the same (304) knew it before.
      if (response.req.method === 'GET' && response.statusCode === 200)
        this.lookups.add(component, release.tag);
    });
    return { body: releaseView(release), changedAt };
  }
}
