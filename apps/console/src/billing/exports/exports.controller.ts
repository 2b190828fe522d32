import { StaffOnly } from '@inference/guards';
import { ApiErrors } from '@inference/openapi';
import { Controller, Get, Header, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Actor, CurrentActor } from '../../accounts/audit-log/actor';
import { ListOrCsv } from '../../lists/csv-list';
import {
  ExportedHourResponse,
  ExportListResponse,
  ExportPath,
  ExportProgressResponse,
  ExportsQuery,
} from './exports.dto';
import { ExportsService } from './exports.service';

const COLUMNS =
  `hour state version manifest usage_rows usage_line_rows ledger_rows usage_bytes usage_line_bytes ledger_bytes bytes currency cost
  balance_change exported_at error`.split(/\s+/);

@Controller('api/admin/exports')
@ApiTags('Administration of the site')
@StaffOnly()
export class ExportsController {
  constructor(private readonly exports: ExportsService) {}

  @Get()
  @ApiOperation({
    operationId: 'listExports',
    summary: 'Lists the hours of usage and ledger that are exported to a warehouse, newest first.',
  })
  @ListOrCsv({ description: 'A page of hours.', type: ExportListResponse, rows: 'exports', columns: COLUMNS })
  list(@Query() query: ExportsQuery): Promise<ExportListResponse> {
    return this.exports.list(query);
  }

  @Get('progress')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'readExportProgress',
    summary: 'Tells whether hours are exported, and how far the export is.',
  })
  @ApiOkResponse({ description: 'How far it is.', type: ExportProgressResponse })
  progress(): Promise<ExportProgressResponse> {
    return this.exports.progress();
  }

  @Post(':hour/repeat')
  @HttpCode(202)
  @ApiOperation({
    operationId: 'repeatExport',
    summary: 'Exports an hour anew.',
    description:
      'The manifest gets the next version and names other files; then the earlier files are removed. Closed hours do not change, so this is for hours that were corrected in the database, and for lost files.',
  })
  @ApiAcceptedResponse({
    description: 'The hour will be exported within minutes.',
    type: ExportedHourResponse,
  })
  @ApiErrors({
    404: 'The hour was never exported.',
    409: 'The hour is being exported, or its usage events are only in the archive.',
  })
  repeat(@CurrentActor() actor: Actor, @Param() { hour }: ExportPath): Promise<ExportedHourResponse> {
    return this.exports.repeat(hour, actor);
  }
}
