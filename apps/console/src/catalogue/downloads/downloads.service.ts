import { Injectable } from '@nestjs/common';
import { Database } from '@inference/database';
import { daysOf, type DownloadsQuery, type DownloadsResponse } from './downloads.dto';
import { readComponentLookups, readModelDownloads } from './downloads.repository';

/** The statistics of downloads, for admins. */
@Injectable()
export class DownloadsService {
  constructor(private readonly database: Database) {}

  async read({ slug, limit, ...query }: DownloadsQuery): Promise<DownloadsResponse> {
    const days = daysOf(query);
    const [models, components] = await Promise.all([
      readModelDownloads(this.database, days, slug ?? null, limit),
      readComponentLookups(this.database, days),
    ]);
    return { ...days, models, components };
  }
}
