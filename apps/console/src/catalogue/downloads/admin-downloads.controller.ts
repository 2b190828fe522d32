import { Controller, Get, Header, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { StaffOnly } from '@inference/guards';
import { DownloadsQuery, DownloadsResponse } from './downloads.dto';
import { DownloadsService } from './downloads.service';

@Controller('api/admin/downloads')
@ApiTags('Administration of downloads')
@StaffOnly()
export class AdminDownloadsController {
  constructor(private readonly downloads: DownloadsService) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'getDownloads',
    summary: 'Counts downloads by model and version, and lookups by component and release.',
    description:
      '`limit` caps the models. The files of releases are downloaded from the code host, so only lookups of releases are counted.',
  })
  @ApiOkResponse({ description: 'The counts of these days.', type: DownloadsResponse })
  read(@Query() query: DownloadsQuery): Promise<DownloadsResponse> {
    return this.downloads.read(query);
  }
}
