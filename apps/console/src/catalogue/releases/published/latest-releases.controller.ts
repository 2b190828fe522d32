import { applyDecorators, Controller, Get, Inject, NotFoundException, Res } from '@nestjs/common';
import { SQL_POOL, type SqlPool } from '@inference/database';
import { Public } from '@inference/http';
import { type Response } from 'express';
import { type CacheableResponse, Cached } from '../../../caching/cached.decorator';
import { readLastChange } from '../../../caching/topic-changes';
import { type Component } from '../../components/component';
import { CODE_HOST_CONFIG, type CodeHostConfig } from '../code-host/code-host.config';
import { findLatest, releaseView } from './release';
import { ReleaseLookupCounter } from '../../downloads/release-lookup-counter';

const Latest = (component: Component) => applyDecorators(Get(`${component}-latest`), Public(), Cached());

/** The latest release of each component (spec: Release downloads); 404 if none is published. */
@Controller('api/download')
export class LatestReleasesController {
  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(CODE_HOST_CONFIG) private readonly codeHost: CodeHostConfig,
    private readonly lookupCounter: ReleaseLookupCounter,
  ) {}

  @Latest('engine')
  engine(@Res({ passthrough: true }) response: Response): Promise<CacheableResponse> {
    return this.respond('engine', response);
  }

  @Latest('router')
  router(@Res({ passthrough: true }) response: Response): Promise<CacheableResponse> {
    return this.respond('router', response);
  }

  @Latest('agent')
  agent(@Res({ passthrough: true }) response: Response): Promise<CacheableResponse> {
    return this.respond('agent', response);
  }

  @Latest('memo')
  memo(@Res({ passthrough: true }) response: Response): Promise<CacheableResponse> {
    return this.respond('memo', response);
  }

  private async respond(component: Component, response: Response): Promise<CacheableResponse> {
    const changedAt = await readLastChange(this.pool, 'releases');
    const release = await findLatest(this.pool, component, this.codeHost.url);
    if (!release) throw new NotFoundException('no release of this component is published');
    response.once('finish', () => {
      // HEAD does not send the release, and a client that gets 304 has it already.
      if (response.req.method === 'GET' && response.statusCode === 200)
        this.lookupCounter.add(component, release.tag);
    });
    return { body: releaseView(release), changedAt };
  }
}
