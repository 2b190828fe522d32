import { setPriority } from 'node:os';
import { NestFactory } from '@nestjs/core';
import { createLogger, NestLogger } from '@inference/http';
import { readMemoConfig } from '../config';
import { IngestionModule } from './ingestion.module';
import { SHORT_ONLY } from './short-only';

/** For what it has in hand to be handed back. */
const GRACE_MILLIS = 5_000;
/** Behind whatever serves requests on this machine. */
const NICENESS = 10;

async function start(): Promise<void> {
  setPriority(NICENESS);
  const config = readMemoConfig();
  const app = await NestFactory.createApplicationContext(
    IngestionModule.forRoot(config, !process.argv.includes(SHORT_ONLY)),
    {
      logger: new NestLogger(createLogger('memo-ingestion', config.LOG_LEVEL)),
      abortOnError: false,
    },
  );
  app.enableShutdownHooks();
  // The service that has started it is gone, or tells it to end; without a database that may come to no end by itself.
  const end = () => {
    setTimeout(() => process.exit(1), GRACE_MILLIS).unref();
    void app.close().finally(() => process.exit(0));
  };
  process.once('disconnect', end);
  if (process.send && !process.connected) end();
}

start().catch((error: Error) => {
  process.stderr.write(`${error.stack}\n`);
  process.exit(1);
});
