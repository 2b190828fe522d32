import { parseArgs } from 'node:util';
import type { SandboxEngineOptions } from './server';

const DEFAULT_PORT = 3090;
const DEFAULT_HOST = '127.0.0.1';
const HIGHEST_PORT = 65_535;
/** A timer cannot wait for less than a millisecond. */
const HIGHEST_TOKENS_PER_SECOND = 1_000;

/**
 * Reads the options from the command line (`--port`, `--host`), otherwise from the environment (`SANDBOX_PORT`,
 * `SANDBOX_HOST`, `SANDBOX_API_KEY`, `ENGINE_TOKENS_PER_SECOND`). Throws one error that names every invalid option.
 */
export function readConfig(argv: readonly string[], env: NodeJS.ProcessEnv): SandboxEngineOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: { port: { type: 'string' }, host: { type: 'string' } },
  });
  const faults: string[] = [];
  const portText = values.port ?? env['SANDBOX_PORT'] ?? String(DEFAULT_PORT);
  const port = Number(portText);
  if (!/^\d+$/.test(portText) || port > HIGHEST_PORT) {
    faults.push(`port must be a number from 0 to ${HIGHEST_PORT}, not '${portText}'`);
  }
  const host = values.host ?? env['SANDBOX_HOST'] ?? DEFAULT_HOST;
  if (host.trim() === '') faults.push('host must not be empty');
  const apiKey = env['SANDBOX_API_KEY'];
  const paceText = env['ENGINE_TOKENS_PER_SECOND'] || '0';
  const tokensPerSecond = Number(paceText);
  if (!/^\d+(\.\d+)?$/.test(paceText) || tokensPerSecond > HIGHEST_TOKENS_PER_SECOND) {
    faults.push(
      `ENGINE_TOKENS_PER_SECOND must be a number from 0 to ${HIGHEST_TOKENS_PER_SECOND}, not '${paceText}'`,
    );
  }
  if (faults.length > 0) throw new Error(faults.join('; '));
  return { port, host, tokensPerSecond, ...(apiKey && { apiKey }) };
}
