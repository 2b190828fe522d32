import { Controller, Get, Header, Inject } from '@nestjs/common';
import { Roles } from '@inference/credentials';
import { SQL_POOL, type SqlPool } from '@inference/database';
import { ValidQuery } from '@inference/http';
import { readReleaseLookups } from '../releases/release-lookups';
import { downloadsQuery, type DownloadsQuery } from './downloads.dto';
import { readPackageDownloads } from './package-downloads';

@Controller('api/admin/downloads')
@Roles('admin')
export class AdminDownloadsController {
  constructor(@Inject(SQL_POOL) private readonly pool: SqlPool) {}

  /**
   * What was used in these UTC days (`from`, `to`, both included; this month unless told), the most first:
   * `{from, to, models: [{slug, version, downloads, accounts, links}], components: [{component, tag_name, lookups}]}`.
   * Files of releases lie at the code host; a lookup is a client that was told where.
   */
  @Get()
  @Header('Cache-Control', 'no-store')
  async read(@ValidQuery(downloadsQuery) { days, limit }: DownloadsQuery) {
    const [models, components] = await Promise.all([
      readPackageDownloads(this.pool, days, limit),
      readReleaseLookups(this.pool, days, limit),
    ]);
    return { ...days, models, components };
  }
}
