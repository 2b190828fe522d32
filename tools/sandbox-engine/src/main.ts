import { readConfig } from './config';
import { startSandboxEngine } from './server';

const GRACE_MS = 2_000;

async function main(): Promise<void> {
  const engine = await startSandboxEngine(readConfig(process.argv.slice(2), process.env));
  process.stdout.write(`sandbox engine listening on ${engine.url}\n`);
  let stopping = false;
  const stop = (): void => {
    // A second signal does not wait for running answers.
    void engine.close(stopping ? 0 : GRACE_MS).then(() => process.exit(0));
    stopping = true;
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

main().catch((error: unknown) => {
  process.stderr.write(`sandbox engine: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
