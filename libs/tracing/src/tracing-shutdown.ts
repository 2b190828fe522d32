import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { stopTracing } from './tracing';

/** Sends the last spans once the requests and the background work have ended. */
@Injectable()
export class TracingShutdown implements OnApplicationShutdown {
  async onApplicationShutdown(): Promise<void> {
    await stopTracing();
  }
}
