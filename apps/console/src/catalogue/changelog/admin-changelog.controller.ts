import { Body, Controller, Delete, HttpCode, Param, Post, Put } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { Roles } from '@inference/guards';
import { ApiErrors } from '@inference/openapi';
import { type Actor, CurrentActor } from '../../identity/audit-log/actor';
import { ChangelogEntryDto, ChangelogEntryPath, ChangelogEntryResponse } from './changelog.dto';
import { ChangelogService } from './changelog.service';

@Controller('api/admin/changelog')
@ApiTags('Administration of the changelog')
@Roles('admin')
export class AdminChangelogController {
  constructor(private readonly changelog: ChangelogService) {}

  @Post()
  @ApiOperation({ operationId: 'createChangelogEntry', summary: 'Publishes an entry.' })
  @ApiCreatedResponse({ description: 'The new entry.', type: ChangelogEntryResponse })
  publish(@CurrentActor() admin: Actor, @Body() body: ChangelogEntryDto): Promise<ChangelogEntryResponse> {
    return this.changelog.publish(admin, body);
  }

  @Put(':id')
  @ApiOperation({
    operationId: 'replaceChangelogEntry',
    summary: 'Replaces an entry completely.',
    description: 'Absent fields are removed, except that an absent `published_at` stays as it was.',
  })
  @ApiOkResponse({ description: 'The entry as it is now.', type: ChangelogEntryResponse })
  @ApiErrors({ 404: 'There is no such entry.' })
  replace(
    @CurrentActor() admin: Actor,
    @Param() { id }: ChangelogEntryPath,
    @Body() body: ChangelogEntryDto,
  ): Promise<ChangelogEntryResponse> {
    return this.changelog.replace(admin, id, body);
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({ operationId: 'deleteChangelogEntry', summary: 'Removes an entry.' })
  @ApiNoContentResponse({ description: 'The entry is removed.' })
  @ApiErrors({ 404: 'There is no such entry.' })
  remove(@CurrentActor() admin: Actor, @Param() { id }: ChangelogEntryPath): Promise<void> {
    return this.changelog.remove(admin, id);
  }
}
