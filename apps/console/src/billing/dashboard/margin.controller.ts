import { StaffOnly } from '@inference/guards';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ListOrCsv } from '../../lists/csv-list';
import { MarginQuery, MarginReportResponse } from './margin.dto';
import { MarginService } from './margin.service';

@Controller('api/admin/reports/margin')
@ApiTags('Administration of the site')
@StaffOnly()
export class MarginController {
  constructor(private readonly margin: MarginService) {}

  @Get()
  @ApiOperation({
    operationId: 'getMarginReport',
    summary: 'Returns revenue, cost and margin of whole days, grouped.',
    description: 'The newest usage counts at once. A call whose upstream has no cost price has no margin.',
  })
  @ListOrCsv({
    description: 'The report.',
    type: MarginReportResponse,
    rows: 'rows',
    columns: 'key calls calls_without_cost revenue revenue_without_cost cost margin margin_percent'.split(
      ' ',
    ),
  })
  read(@Query() query: MarginQuery): Promise<MarginReportResponse> {
    return this.margin.report(query);
  }
}
