import { StaffOnly } from '@inference/guards';
import { Controller, Get, Header, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { DashboardQuery, DashboardResponse } from './dashboard.dto';
import { DashboardService } from './dashboard.service';

@Controller('api/admin/dashboard')
@ApiTags('Administration of the site')
@StaffOnly()
export class DashboardController {
  constructor(private readonly dashboard: DashboardService) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'getDashboard',
    summary: 'Returns revenue, usage, accounts and errors of some days and of the days before them.',
    description:
      'The newest usage counts at once. Revenue and tokens are those of the cost report for the same period.',
  })
  @ApiOkResponse({ description: 'The figures.', type: DashboardResponse })
  read(@Query() { period }: DashboardQuery): Promise<DashboardResponse> {
    return this.dashboard.read(period);
  }
}
