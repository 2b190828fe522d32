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
      'Of calls that gateways have recorded, which are kept for 30 days. In a minute each process of a gateway records 600 of an account and each hundredth beyond, and 3,000 of all accounts. Each recorded call counts once: at the time of an attack there were more calls, and of other shares. A file has the 1,000 rows with the most calls; whether more were left out is in `left_out_calls` of the JSON.',
  })
  @ListOrCsv({
    description: 'The report.',
    type: UnservedReportResponse,
    rows: 'rows',
    columns: [...UNSERVED_DIMENSIONS, 'calls', 'accounts'],
  })
  @ApiErrors({ 400: 'The period is none, or there are too many calls in it to be counted in ten seconds.' })
  read(@Query() query: UnservedReportQuery): Promise<UnservedReportResponse> {
    return this.reports.report(query);
  }
}
