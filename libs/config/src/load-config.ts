import { type z } from 'zod';

/** Thrown when the environment is unusable; names every faulty variable at once, never a value. */
export class ConfigError extends Error {
  constructor(readonly faults: string[]) {
    super(`The configuration is not usable:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
  }
}

/**
 * Validates an environment against a schema and returns the typed configuration.
 * An empty variable counts as absent, as it does in compose files.
 */
export function loadConfig<T extends z.ZodType>(schema: T, environment = process.env): z.output<T> {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const result = schema.safeParse(present);
  if (result.success) return result.data;
  throw new ConfigError(
    result.error.issues.map((issue) => {
      const name = String(issue.path[0] ?? 'the environment');
      const inner = issue.path.slice(1).map(String).join('.');
      // A rule about several variables may name one that is absent; it says itself what is wrong.
      const missing = present[name] === undefined && issue.code !== 'custom';
      return missing ? `${name}: is missing` : `${name}${inner ? ` (at ${inner})` : ''}: ${issue.message}`;
    }),
  );
}
