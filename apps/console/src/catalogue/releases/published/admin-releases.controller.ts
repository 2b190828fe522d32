import { StaffOnly } from '@inference/guards';
import { ApiErrors } from '@inference/openapi';
import { Body, Controller, Delete, Get, HttpCode, Param, Put, Query, Res } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { ListOrCsv } from '../../../lists/csv-list';
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

const COLUMNS = 'component tag_name name source draft prerelease published_at'.split(' ');

@Controller('api/admin/releases')
@ApiTags('Administration of releases')
@StaffOnly()
export class AdminReleasesController {
  constructor(private readonly releases: ReleasesService) {}

  @Get()
  @ApiOperation({
    operationId: 'listReleases',
    summary: 'Lists the releases of all components or of one, newest first.',
    description: 'Drafts and followed releases are included.',
  })
  @ListOrCsv({
    description: 'A page of releases.',
    type: AdminReleaseListResponse,
    rows: 'releases',
    columns: COLUMNS,
  })
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
