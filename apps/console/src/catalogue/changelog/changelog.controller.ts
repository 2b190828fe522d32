import { StaffOnly } from '@inference/guards';
import { AnyQuery, Public } from '@inference/http';
import { ApiErrors } from '@inference/openapi';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { type Actor, CurrentActor } from '../../accounts/audit-log/actor';
import {
  ApiCachedResponse,
  ApiCachedXml,
  type CacheableResponse,
  Cached,
} from '../../caching/cached.decorator';
import {
  ChangelogEntryDto,
  ChangelogEntryPath,
  ChangelogEntryResponse,
  ChangelogQuery,
  ChangelogResponse,
} from './changelog.dto';
import { ChangelogService } from './changelog.service';

const FEED_EXAMPLE = `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <id>https://console.example.com/api/changelog.atom</id>
  <title type="text">Inference Platform</title>
  <updated>1970-01-01T00:00:00.000Z</updated>
  <author><name>Inference Platform</name></author>
</feed>`;

@Controller('api')
@ApiTags('Changelog')
export class ChangelogController {
  constructor(private readonly changelog: ChangelogService) {}

  @Get('changelog')
  @Public()
  @Cached()
  @ApiOperation({ operationId: 'listChangelog', summary: 'Lists the changelog, newest entry first.' })
  @ApiCachedResponse({ description: 'A page of entries.', type: ChangelogResponse })
  list(@Query() query: ChangelogQuery): Promise<CacheableResponse<ChangelogResponse>> {
    return this.changelog.list(query);
  }

  /** Readers of feeds add parameters of their own, against caches. */
  @Get('changelog.atom')
  @Public()
  @AnyQuery()
  @Cached('application/atom+xml; charset=utf-8')
  @ApiOperation({
    operationId: 'getChangelogFeed',
    summary: 'Returns the newest 50 entries as an Atom feed.',
    description: 'The Markdown of the entries is sent as plain text.',
  })
  @ApiCachedXml('The feed (RFC 4287).', 'application/atom+xml', FEED_EXAMPLE)
  feed(): Promise<CacheableResponse<string>> {
    return this.changelog.feed();
  }
}

@Controller('api/admin/changelog')
@ApiTags('Administration of the changelog')
@StaffOnly()
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
