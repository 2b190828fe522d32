import { Controller, Get, Header, Inject } from '@nestjs/common';
import { Roles } from '@inference/guards';
import { SQL_POOL, type SqlPool } from '@inference/database';
import { ValidQuery } from '@inference/http';
import { readComponentLookups, readModelDownloads } from './download-statistics';
import { downloadsQuery, type DownloadsQuery } from './downloads.dto';

@Controller('api/admin/downloads')
@Roles('admin')
export class AdminDownloadsController {
  constructor(@Inject(SQL_POOL) private readonly pool: SqlPool) {}

  /**
   * Downloads in the UTC days `from` to `to`, both included, by default this month; most downloaded first. `slug` selects
   * one model, `limit` caps the models: `{from, to, models: [{slug, downloads, accounts, links, versions: [{version,
   * …}]}], components: [{component, lookups, releases: [{tag_name, lookups}]}]}`. Release files are downloaded from the
   * code host, so only lookups of a release are counted; the newest ones appear after some seconds.
   */
  @Get()
  @Header('Cache-Control', 'no-store')
  async read(@ValidQuery(downloadsQuery) { days, slug, limit }: DownloadsQuery) {
    const [models, components] = await Promise.all([
      readModelDownloads(this.pool, days, slug ?? null, limit),
      readComponentLookups(this.pool, days),
    ]);
    return { ...days, models, components };
  }
}
