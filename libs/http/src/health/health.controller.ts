import { Controller, Get, Header, HttpStatus, Optional, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiServiceUnavailableResponse, ApiTags } from '@nestjs/swagger';
import { Database } from '@inference/database';
import { type Response } from 'express';
import { Public } from '../public.decorator';
import { AnyQuery } from '../validation/query.guard';
import { HealthResponse, UnhealthyResponse } from './health.response';

const PROBE_TIMEOUT_MILLIS = 2_000;

/**
 * Liveness and readiness in one (spec: Health): 200 `{status: "ok"}` while the database answers, otherwise 503
 * `{error: "database unavailable"}`, the same at every service whatever shape its other errors have.
 */
@Controller('healthz')
@ApiTags('Health')
@AnyQuery()
export class HealthController {
  constructor(@Optional() private readonly database?: Database) {}

  @Get()
  @Public()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ operationId: 'checkHealth', summary: 'Tells whether the service can work.' })
  @ApiOkResponse({
    description: 'The database is reachable, or the service needs none.',
    type: HealthResponse,
  })
  @ApiServiceUnavailableResponse({ description: 'The database is not reachable.', type: UnhealthyResponse })
  async check(@Res({ passthrough: true }) response: Response): Promise<HealthResponse | UnhealthyResponse> {
    if (!this.database || (await this.databaseAnswers(this.database))) return { status: 'ok' };
    response.status(HttpStatus.SERVICE_UNAVAILABLE);
    return { error: 'database unavailable' };
  }

  private async databaseAnswers(database: Database): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), PROBE_TIMEOUT_MILLIS);
    });
    const answer = database.check().then(
      () => true,
      () => false,
    );
    return Promise.race([answer, timeout]).finally(() => clearTimeout(timer));
  }
}
