import { Controller, Get, Header } from '@nestjs/common';
import { StaffOnly } from '@inference/guards';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { SiteHealthResponse } from './service-health.dto';
import { ServiceHealthService } from './service-health.service';

@Controller('api/admin/health')
@ApiTags('Administration of the site')
@StaffOnly()
export class ServiceHealthController {
  constructor(private readonly health: ServiceHealthService) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'checkServices',
    summary: 'Asks all services of the site whether they can work.',
    description:
      'The console asks `GET /healthz` of each service at once and waits at most 3 seconds. The answer is 200 also when services are down.',
  })
  @ApiOkResponse({ description: 'How the services are.', type: SiteHealthResponse })
  check(): Promise<SiteHealthResponse> {
    return this.health.check();
  }
}
