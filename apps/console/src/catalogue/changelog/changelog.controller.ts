import { Controller, Get, Query } from '@nestjs/common';
import { AnyQuery, Public } from '@inference/http';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiCachedResponse, ApiCachedXml } from '../../caching/api-cached-response.decorator';
import { Cached, type CacheableResponse } from '../../caching/cached.decorator';
import { ChangelogQuery, ChangelogResponse } from './changelog.dto';
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
