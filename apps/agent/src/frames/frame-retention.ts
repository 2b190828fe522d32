import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { firstIdAt, SQL_POOL, type SqlPool } from '@inference/database';
import { AGENT_CONFIG, type AgentConfig } from '../config';

const INTERVAL_MILLIS = 60_000;
const HOUR_MILLIS = 3_600_000;
const TURNS_AT_ONCE = 100;

/**
 * Looks only at turns that began long ago, the first of the index: most of those have no frames any more.
 */
const DELETE_OLD = `
  DELETE FROM agent.frames WHERE turn_id IN (
    SELECT DISTINCT f.turn_id FROM agent.frames f LEFT JOIN agent.turns t ON t.id = f.turn_id
    WHERE f.turn_id < $1 AND (t.id IS NULL OR t.ended_at < $2)
    LIMIT ${TURNS_AT_ONCE}
  )`;

/** Deletes the frames of turns that ended long ago; what was said stays in the events. */
@Injectable()
export class FrameRetention implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(FrameRetention.name);
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(AGENT_CONFIG) private readonly config: AgentConfig,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.deleteOld().catch((error: Error) =>
        this.logger.warn(`Old frames could not be deleted: ${error.message}`),
      );
    }, INTERVAL_MILLIS);
  }

  async deleteOld(): Promise<void> {
    const before = Date.now() - this.config.FRAME_RETENTION_HOURS * HOUR_MILLIS;
    const values = [firstIdAt('turn', before), new Date(before)];
    while ((await this.pool.query(DELETE_OLD, values)).rowCount);
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }
}
