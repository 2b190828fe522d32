import { Controller, Get, Param } from '@nestjs/common';
import { Public } from '@inference/http';
import { Cached } from '../../caching/cached.decorator';
import { SitemapService } from './sitemap.service';

const XML = 'application/xml; charset=utf-8';

/** Sitemap of the public pages and the published models (sitemaps.org). */
@Controller()
export class SitemapController {
  constructor(private readonly sitemap: SitemapService) {}

  /** The sitemap, or a sitemap index if there are more than 50,000 URLs. */
  @Get('sitemap.xml')
  @Public()
  @Cached(XML)
  first() {
    return this.sitemap.readFirst();
  }

  /** One sitemap of the index. */
  @Get('sitemap-:number.xml')
  @Public()
  @Cached(XML)
  numbered(@Param('number') number: string) {
    return this.sitemap.readNumbered(number);
  }
}
