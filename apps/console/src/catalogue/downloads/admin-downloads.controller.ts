import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { StaffOnly } from '@inference/guards';
import { ListOrCsv } from '../../lists/csv-list';
import { DownloadsQuery, DownloadsResponse } from './downloads.dto';
import { DownloadsService } from './downloads.service';

@Controller('api/admin/downloads')
@ApiTags('Administration of downloads')
@StaffOnly()
export class AdminDownloadsController {
  constructor(private readonly downloads: DownloadsService) {}

  @Get()
  @ApiOperation({
    operationId: 'getDownloads',
    summary: 'Counts downloads by model and version, and lookups by component and release.',
    description:
      '`limit` caps the models. The files of releases are downloaded from the code host, so only lookups of releases are counted.',
  })
  @ListOrCsv({
    description: 'The counts of these days; a CSV file has those of 100 models, by version.',
    type: DownloadsResponse,
    rows: 'models',
    each: 'versions',
    isCut: true,
    columns: 'slug versions.version versions.downloads versions.accounts versions.links'.split(' '),
  })
  read(@Query() query: DownloadsQuery): Promise<DownloadsResponse> {
    return this.downloads.read(query);
  }
}
