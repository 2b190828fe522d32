import { Public } from '@inference/http';
import { ApiErrors } from '@inference/openapi';
import { applyDecorators, Controller, Get, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Response } from 'express';
import { ApiCachedResponse, type CacheableResponse, Cached } from '../../../caching/cached.decorator';
import { type Component } from '../../component';
import { ReleaseLookupCounter } from '../../downloads/release-lookup-counter';
import { ReleaseResponse } from './releases.dto';
import { ReleasesService } from './releases.service';

const Latest = (component: Component, operationId: string) =>
  applyDecorators(
    Get(`${component}-latest`),
    Public(),
    Cached(),
    ApiOperation({
      operationId,
      summary: `Returns the latest release of the ${component}.`,
      description:
        'The newest published one by semantic version; a prerelease only if there is nothing else.',
    }),
    ApiCachedResponse({ description: 'The release.', type: ReleaseResponse }),
    ApiErrors({ 404: 'No release of this component is published.' }),
  );

/** The latest release of each component (spec: Release downloads); 404 if none is published. */
@Controller('api/download')
@ApiTags('Releases')
export class LatestReleasesController {
  constructor(
    private readonly releases: ReleasesService,
    private readonly lookupCounter: ReleaseLookupCounter,
  ) {}

  @Latest('engine', 'getLatestEngine')
  engine(@Res({ passthrough: true }) response: Response): Promise<CacheableResponse<ReleaseResponse>> {
    return this.respond('engine', response);
  }

  @Latest('router', 'getLatestRouter')
  router(@Res({ passthrough: true }) response: Response): Promise<CacheableResponse<ReleaseResponse>> {
    return this.respond('router', response);
  }

  @Latest('agent', 'getLatestAgent')
  agent(@Res({ passthrough: true }) response: Response): Promise<CacheableResponse<ReleaseResponse>> {
    return this.respond('agent', response);
  }

  @Latest('memo', 'getLatestMemo')
  memo(@Res({ passthrough: true }) response: Response): Promise<CacheableResponse<ReleaseResponse>> {
    return this.respond('memo', response);
  }

  private async respond(
    component: Component,
    response: Response,
  ): Promise<CacheableResponse<ReleaseResponse>> {
    const latest = await this.releases.findLatest(component);
    response.once('finish', () => {
      // HEAD does not send the release, and a client that gets 304 has it already.
      if (response.req.method === 'GET' && response.statusCode === 200)
        this.lookupCounter.add(component, latest.body.tag_name);
    });
    return latest;
  }
}
