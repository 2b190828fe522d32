import { Public } from '@inference/http';
import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiCachedResponse, type CacheableResponse, Cached } from '../../caching/cached.decorator';
import { SiteResponse } from './site.dto';
import { SiteService } from './site.service';

@Controller('api/site')
@ApiTags('Site')
export class SiteController {
  constructor(private readonly site: SiteService) {}

  @Get()
  @Public()
  @Cached()
  @ApiOperation({
    operationId: 'getSite',
    summary: 'Returns name, region, currency, languages and service addresses of the site.',
  })
  @ApiCachedResponse({ description: 'The site.', type: SiteResponse }, { hasLastModified: false })
  read(): CacheableResponse<SiteResponse> {
    return this.site.read();
  }
}
