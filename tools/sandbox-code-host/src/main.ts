import { readConfig } from './config';
import { startServer } from './server';

async function main(): Promise<void> {
  const server = await startServer(readConfig(process.env));
  process.stdout.write(`sandbox code host listening on ${server.url}\n`);
  const stop = (): void => void server.close().then(() => process.exit(0));
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

main().catch((error: unknown) => {
  process.stderr.write(`sandbox code host: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
