import { Public } from '@inference/http';
import { ApiErrors } from '@inference/openapi';
import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiCachedResponse, type CacheableResponse, Cached } from '../caching/cached.decorator';
import { SiteStatusResponse } from './status-page.dto';
import { StatusPageService } from './status-page.service';

@Controller('api/status')
@ApiTags('Site')
export class StatusPageController {
  constructor(private readonly status: StatusPageService) {}

  @Get()
  @Public()
  @Cached()
  @ApiOperation({
    operationId: 'getStatus',
    summary: 'Tells whether services and models work, and what was announced of incidents.',
    description: 'The services are asked at most every ten seconds, however many read this.',
  })
  @ApiCachedResponse(
    { description: 'The state of the site.', type: SiteStatusResponse },
    { hasLastModified: false },
  )
  @ApiErrors({ 404: 'The site has no public status page (`STATUS_PAGE`).' })
  async read(): Promise<CacheableResponse<SiteStatusResponse>> {
    return { body: (await this.status.read()).status, changedAt: null };
  }
}
