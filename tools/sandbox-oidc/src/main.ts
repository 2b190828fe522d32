import { readConfig } from './config';
import { startServer } from './server';

async function main(): Promise<void> {
  const config = readConfig(process.env);
  // Silences the library's warnings about production: the sandbox keeps its keys and all state in memory.
  console.warn = console.info = () => undefined;
  const server = await startServer(config);
  process.stdout.write(`sandbox oidc listening on ${server.issuer}\n`);
  const stop = (): void => void server.close().then(() => process.exit(0));
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

main().catch((error: unknown) => {
  process.stderr.write(`sandbox oidc: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
