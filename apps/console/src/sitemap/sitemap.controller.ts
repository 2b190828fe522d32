import { Controller, Get, Param } from '@nestjs/common';
import { Public } from '@inference/http';
import { Cached } from '../caching/cached';
import { SitemapService } from './sitemap.service';

const XML = 'application/xml; charset=utf-8';

/** The public pages and the published models (sitemaps.org). */
@Controller()
export class SitemapController {
  constructor(private readonly sitemap: SitemapService) {}

  /** The sitemap; of more than 50,000 places the index of their sitemaps. */
  @Get('sitemap.xml')
  @Public()
  @Cached(XML)
  first() {
    return this.sitemap.readFirst();
  }

  @Get('sitemap-:number.xml')
  @Public()
  @Cached(XML)
  numbered(@Param('number') number: string) {
    return this.sitemap.readNumbered(number);
  }
}
