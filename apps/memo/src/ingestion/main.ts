import { setPriority } from 'node:os';
import { NestFactory } from '@nestjs/core';
import { createLogger, NestLogger, SHUTDOWN_OPTIONS } from '@inference/http';
import { startTracing } from '@inference/tracing';
import { readMemoConfig } from '../config';
import { IngestionWorkerModule } from '../ingestion-worker.module';
import { SHORT_DOCUMENTS_ONLY } from './worker-supervisor';

/** In logs and traces. */
const NAME = 'memo-ingestion';
/** Time to return unfinished jobs to the queue. */
const SHUTDOWN_GRACE_MS = 5_000;
/** Lower priority than the processes that serve requests on this machine. */
const NICENESS = 10;

async function start(): Promise<void> {
  setPriority(NICENESS);
  const config = readMemoConfig();
  const warn = (message: string) => logger.warn(message);
  startTracing({ name: NAME, config, warn });
  const logger = createLogger(NAME, config.LOG_LEVEL);
  const app = await NestFactory.createApplicationContext(
    IngestionWorkerModule.forRoot(config, !process.argv.includes(SHORT_DOCUMENTS_ONLY)),
    {
      logger: new NestLogger(logger),
      abortOnError: false,
    },
  );
  app.enableShutdownHooks(undefined, SHUTDOWN_OPTIONS);
  // The service that started this process has ended or asks it to stop. Without a database the shutdown may not
  // finish by itself.
  const end = () => {
    setTimeout(() => process.exit(1), SHUTDOWN_GRACE_MS).unref();
    void app.close().finally(() => process.exit(0));
  };
  process.once('disconnect', end);
  if (process.send && !process.connected) end();
}

start().catch((error: Error) => {
  process.stderr.write(`${error.stack}\n`);
  process.exit(1);
});
