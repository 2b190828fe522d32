import { TextField } from '@inference/dto';
import { AnyQuery, Public } from '@inference/http';
import { ApiErrors } from '@inference/openapi';
import { Controller, Get, Param } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiCachedXml, type CacheableResponse, Cached } from '../../caching/cached.decorator';
import { SitemapService } from './sitemap.service';

const NUMBER: [RegExp, string] = [/^[1-9]\d{0,4}$/, 'must be a number from 1 to 99999'];

class SitemapPath {
  @TextField({
    description: 'Number of the sitemap in the index, from 1.',
    example: '1',
    pattern: NUMBER,
    notFound: 'no such sitemap',
  })
  number!: string;
}

const XML = 'application/xml; charset=utf-8';
const EXAMPLE = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <url><loc>https://console.example.com/pricing</loc></url>
</urlset>`;

/** Sitemap of the public pages and the published models (sitemaps.org). */
@Controller()
@ApiTags('Site')
@AnyQuery()
export class SitemapController {
  constructor(private readonly sitemap: SitemapService) {}

  @Get('sitemap.xml')
  @Public()
  @Cached(XML)
  @ApiOperation({
    operationId: 'getSitemap',
    summary: 'Returns the sitemap of public pages and published models.',
    description: 'Above 50,000 addresses it is an index of numbered sitemaps.',
  })
  @ApiCachedXml('The sitemap, or the index (sitemaps.org).', 'application/xml', EXAMPLE)
  first(): Promise<CacheableResponse<string>> {
    return this.sitemap.readFirst();
  }

  @Get('sitemap-:number.xml')
  @Public()
  @Cached(XML)
  @ApiOperation({ operationId: 'getNumberedSitemap', summary: 'Returns one sitemap of the index.' })
  @ApiCachedXml('The sitemap.', 'application/xml', EXAMPLE)
  @ApiErrors({ 404: 'The index has no sitemap of this number.' })
  numbered(@Param() { number }: SitemapPath): Promise<CacheableResponse<string>> {
    return this.sitemap.readNumbered(Number(number));
  }
}
