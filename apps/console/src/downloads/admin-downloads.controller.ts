import { Controller, Get, Header, Inject } from '@nestjs/common';
import { Roles } from '@inference/credentials';
import { SQL_POOL, type SqlPool } from '@inference/database';
import { ValidQuery } from '@inference/http';
import { readComponentLookups, readModelDownloads } from './downloads';
import { downloadsQuery, type DownloadsQuery } from './downloads.dto';

@Controller('api/admin/downloads')
@Roles('admin')
export class AdminDownloadsController {
  constructor(@Inject(SQL_POOL) private readonly pool: SqlPool) {}

  /**
   * What was used on these UTC days (`from`, `to`, both included; this month unless told), the most first; `slug` for one
   * model, `limit` models: `{from, to, models: [{slug, downloads, accounts, links, versions: [{version, …}]}],
   * components: [{component, lookups, releases: [{tag_name, lookups}]}]}`. Files of releases lie at the code host; a
   * lookup is a client that was told where, up to some seconds ago.
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
