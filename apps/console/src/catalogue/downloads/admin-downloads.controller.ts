import { Controller, Get, Header, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '@inference/guards';
import { Database } from '@inference/database';
import { readComponentLookups, readModelDownloads } from './download-statistics';
import { daysOf, DownloadsQuery, DownloadsResponse } from './downloads.dto';

@Controller('api/admin/downloads')
@ApiTags('Administration of downloads')
@Roles('admin')
export class AdminDownloadsController {
  constructor(private readonly database: Database) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'getDownloads',
    summary: 'Counts downloads by model and version, and lookups by component and release.',
    description:
      '`limit` caps the models. The files of releases are downloaded from the code host, so only lookups of releases are counted.',
  })
  @ApiOkResponse({ description: 'The counts of these days.', type: DownloadsResponse })
  async read(@Query() { slug, limit, ...query }: DownloadsQuery): Promise<DownloadsResponse> {
    const days = daysOf(query);
    const [models, components] = await Promise.all([
      readModelDownloads(this.database, days, slug ?? null, limit),
      readComponentLookups(this.database, days),
    ]);
    return { ...days, models, components };
  }
}
