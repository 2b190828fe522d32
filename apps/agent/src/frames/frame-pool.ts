import { Inject, Injectable, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { createPool, type SqlPool } from '@inference/database';
import { AGENT_CONFIG, type AgentConfig } from '../config';

/** One statement writes for all turns; the other connection renews the process's place among the replicas. */
const CONNECTIONS = 2;

/** Connections that no request ever waits for: what keeps the turns of a process alive does not queue behind its callers. */
export const FRAME_POOL = Symbol('FRAME_POOL');

export const framePool: Provider = {
  provide: FRAME_POOL,
  inject: [AGENT_CONFIG],
  useFactory: ({ DATABASE_URL: url }: AgentConfig) =>
    createPool({ url, applicationName: 'agent frames', size: CONNECTIONS }),
};

/** Ends the pool with the process. */
@Injectable()
export class FramePoolEnd implements OnApplicationShutdown {
  constructor(@Inject(FRAME_POOL) private readonly pool: SqlPool) {}

  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }
}
