import { Roles } from '@inference/guards';
import { ApiErrors } from '@inference/openapi';
import { Body, Controller, Delete, Get, Header, HttpCode, Param, Put, Query, Res } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { type Response } from 'express';
import { type Actor, CurrentActor } from '../../../accounts/audit-log/actor';
import {
  AdminReleaseListResponse,
  AdminReleaseResponse,
  PutReleaseDto,
  ReleasePath,
  ReleasesQuery,
} from './releases.dto';
import { ReleasesService } from './releases.service';

@Controller('api/admin/releases')
@ApiTags('Administration of releases')
@Roles('admin')
export class AdminReleasesController {
  constructor(private readonly releases: ReleasesService) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'listReleases',
    summary: 'Lists the releases of all components or of one, newest first.',
    description: 'Drafts and followed releases are included.',
  })
  @ApiOkResponse({ description: 'A page of releases.', type: AdminReleaseListResponse })
  list(@Query() query: ReleasesQuery): Promise<AdminReleaseListResponse> {
    return this.releases.list(query);
  }

  @Put(':component/:tag')
  @ApiOperation({
    operationId: 'putRelease',
    summary: 'Publishes a release, or replaces it completely.',
    description: 'A release of a tag that the code host has too replaces that one, even as a draft.',
  })
  @ApiOkResponse({ description: 'The release replaces an earlier one.', type: AdminReleaseResponse })
  @ApiCreatedResponse({ description: 'The release is new.', type: AdminReleaseResponse })
  @ApiErrors({ 404: 'There is no such component.' })
  async put(
    @CurrentActor() admin: Actor,
    @Param() { component, tag }: ReleasePath,
    @Body() body: PutReleaseDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AdminReleaseResponse> {
    const { release, created } = await this.releases.put(admin, component, tag, body);
    if (created) response.status(201);
    return release;
  }

  @Delete(':component/:tag')
  @HttpCode(204)
  @ApiOperation({
    operationId: 'deleteRelease',
    summary: 'Removes an admin’s release.',
    description: 'A followed release of the same tag is effective again.',
  })
  @ApiNoContentResponse({ description: 'The release is removed.' })
  @ApiErrors({ 404: 'There is no such component, or no release of this tag was published here.' })
  remove(@CurrentActor() admin: Actor, @Param() { component, tag }: ReleasePath): Promise<void> {
    return this.releases.remove(admin, component, tag);
  }
}
