import { Accepts, type Caller, CurrentCaller } from '@inference/guards';
import { PageQuery, Public } from '@inference/http';
import { ApiErrors } from '@inference/openapi';
import { Controller, Get, Header, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiFoundResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Request, type Response } from 'express';
import { ApiCachedResponse, type CacheableResponse, Cached } from '../../caching/cached.decorator';
import {
  DownloadQuery,
  ModelLinkQuery,
  ModelLinkResponse,
  ModelListResponse,
  ModelPath,
  ModelResponse,
} from './models.dto';
import { ModelsService } from './models.service';

@Controller('api/models')
@ApiTags('Models')
export class ModelsController {
  constructor(private readonly models: ModelsService) {}

  @Get()
  @Public()
  @Cached()
  @ApiOperation({
    operationId: 'listModels',
    summary: 'Lists the published models with size and SHA-256 of their packages.',
  })
  @ApiCachedResponse({ description: 'A page of models.', type: ModelListResponse })
  list(@Query() query: PageQuery): Promise<CacheableResponse<ModelListResponse>> {
    return this.models.list(query);
  }

  @Get('*slug/download')
  @Accepts('api_key', 'session_query')
  @ApiOperation({
    operationId: 'downloadModel',
    summary: 'Redirects to an expiring link to the package of a model.',
    description:
      'The link needs no credential and supports `Range`. To go on after it has expired, repeat this request, with the same `version`.',
  })
  @ApiFoundResponse({
    description: 'Follow the link.',
    headers: {
      Location: { description: 'The link.', required: true, schema: { type: 'string', format: 'uri' } },
      'Cache-Control': { required: true, schema: { type: 'string', enum: ['no-store'] } },
    },
  })
  @ApiErrors({
    403: 'The API key is limited to other models.',
    404: 'No such model is published, or it has no such version.',
  })
  async download(
    @CurrentCaller() caller: Caller,
    @Param() { slug }: ModelPath,
    @Query() { version }: DownloadQuery,
    @Req() { method }: Request,
    @Res() response: Response,
  ): Promise<void> {
    response.set('Cache-Control', 'no-store');
    const { url } = await this.models.link(caller, slug, version ?? null, method === 'HEAD');
    response.status(302).location(url).end();
  }

  @Post('*slug/link')
  @Accepts('session')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'createModelLink',
    summary:
      'Returns an expiring link to the package of a model, which a browser can open without a credential.',
    description: 'It is the link to which the download redirects.',
  })
  @ApiOkResponse({ description: 'The link.', type: ModelLinkResponse })
  @ApiErrors({ 404: 'No such model is published, or it has no such version.' })
  async createLink(
    @CurrentCaller() caller: Caller,
    @Param() { slug }: ModelPath,
    @Query() { version }: ModelLinkQuery,
  ): Promise<ModelLinkResponse> {
    const { url, expiresAt } = await this.models.link(caller, slug, version ?? null, false);
    return { url, expires_at: expiresAt.toISOString() };
  }

  @Get('*slug')
  @Public()
  @Cached()
  @ApiOperation({ operationId: 'getModel', summary: 'Returns one published model.' })
  @ApiCachedResponse({ description: 'The model.', type: ModelResponse })
  @ApiErrors({ 404: 'No such model is published.' })
  find(@Param() { slug }: ModelPath): Promise<CacheableResponse<ModelResponse>> {
    return this.models.find(slug);
  }
}
