import { StaffOnly } from '@inference/guards';
import { ApiErrors } from '@inference/openapi';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ListOrCsv } from '../../lists/csv-list';
import { UNSERVED_DIMENSIONS, UnservedReportQuery, UnservedReportResponse } from './unserved-report.dto';
import { UnservedReportService } from './unserved-report.service';

@Controller('api/admin/reports/unserved-calls')
@ApiTags('Administration of the site')
@StaffOnly()
export class UnservedReportController {
  constructor(private readonly reports: UnservedReportService) {}

  @Get()
  @ApiOperation({
    operationId: 'getUnservedCallsReport',
    summary:
      'Counts the refused and failed calls of all accounts, by day, status, error code, model and upstream.',
    description:
      'Of calls that gateways have recorded, which are kept for 30 days. In a minute each process of a gateway records 600 of an account and each hundredth beyond, and 3,000 of all accounts: at the time of an attack there were more.',
  })
  @ListOrCsv({
    description: 'The report.',
    type: UnservedReportResponse,
    rows: 'rows',
    columns: [...UNSERVED_DIMENSIONS, 'calls', 'accounts'],
  })
  @ApiErrors({ 503: '`too_many_calls`: there are too many calls to be counted in ten seconds.' })
  read(@Query() query: UnservedReportQuery): Promise<UnservedReportResponse> {
    return this.reports.report(query);
  }
}
