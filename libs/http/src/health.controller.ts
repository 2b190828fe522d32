import { Database } from '@inference/database';
import { Controller, Get, Header, HttpStatus, Optional, Res } from '@nestjs/common';
import {
  ApiOkResponse,
  ApiOperation,
  ApiProperty,
  ApiServiceUnavailableResponse,
  ApiTags,
} from '@nestjs/swagger';
import { type Response } from 'express';
import { Public } from './per-route';
import { ShutdownDelay } from './shutdown';
import { AnyQuery } from './validation/unexpected-input.guards';

/** Spec: Health. */
class HealthResponse {
  @ApiProperty({ enum: ['ok'], description: 'Always `ok`.' })
  status!: 'ok';
}

class UnhealthyResponse {
  @ApiProperty({
    enum: ['database unavailable', 'shutting down'],
    description: 'Why the service cannot work.',
  })
  error!: 'database unavailable' | 'shutting down';
}

const PROBE_TIMEOUT_MILLIS = 2_000;
/**
 * Anybody may ask any number of times, and each statement takes a connection that customers wait for. Chosen: the shortest interval of
 * usual probes is a second.
 */
const KEPT_MILLIS = 200;
/** Says since when the process runs. A header, because the specification fixes the body. */
export const STARTED_AT_HEADER = 'X-Started-At';
export const PROCESS_STARTED_AT = new Date(Date.now() - process.uptime() * 1000).toISOString();

/**
 * Liveness and readiness in one (spec: Health): 200 `{status: "ok"}` while the database answers, otherwise 503
 * `{error: "database unavailable"}`; and 503 `{error: "shutting down"}` after SIGTERM. The same at every service whatever shape its other errors have.
 */
@Controller('healthz')
@ApiTags('Health')
@AnyQuery()
export class HealthController {
  private answer: Promise<boolean> | undefined;

  constructor(
    private readonly shutdownDelay: ShutdownDelay,
    @Optional() private readonly database?: Database,
  ) {}

  @Get()
  @Public()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ operationId: 'checkHealth', summary: 'Tells whether the service can work.' })
  @ApiOkResponse({
    description: 'The database is reachable, or the service needs none.',
    type: HealthResponse,
  })
  @ApiServiceUnavailableResponse({
    description: 'The database is not reachable, or the service is about to shut down.',
    type: UnhealthyResponse,
  })
  async check(@Res({ passthrough: true }) response: Response): Promise<HealthResponse | UnhealthyResponse> {
    response.set(STARTED_AT_HEADER, PROCESS_STARTED_AT);
    const error = await this.fault();
    if (error === undefined) return { status: 'ok' };
    response.status(HttpStatus.SERVICE_UNAVAILABLE);
    return { error };
  }

  private async fault(): Promise<UnhealthyResponse['error'] | undefined> {
    if (this.shutdownDelay.isRunning) return 'shutting down';
    if (this.database && !(await (this.answer ??= this.ask(this.database)))) return 'database unavailable';
    return undefined;
  }

  /** The probes that come before or soon after the answer share it. */
  private async ask(database: Database): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), PROBE_TIMEOUT_MILLIS);
    });
    const answer = database.check().then(
      () => true,
      () => false,
    );
    try {
      return await Promise.race([answer, timeout]);
    } finally {
      clearTimeout(timer);
      setTimeout(() => (this.answer = undefined), KEPT_MILLIS).unref();
    }
  }
}
