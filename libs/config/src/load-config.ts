import { type z } from 'zod';

/** Thrown if the environment is invalid. The message names every invalid variable and contains no value. */
export class ConfigError extends Error {
  constructor(readonly faults: string[]) {
    super(`The configuration is not usable:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
  }
}

/**
 * Validates an environment against a schema and returns the typed configuration.
 * An empty variable counts as absent, because compose files pass unset variables as empty ones. Throws ConfigError.
 */
export function loadConfig<T extends z.ZodType>(schema: T, environment = process.env): z.output<T> {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const result = schema.safeParse(present);
  if (result.success) return result.data;
  throw new ConfigError(
    result.error.issues.map((issue) => {
      const name = String(issue.path[0] ?? 'the environment');
      const inner = issue.path.slice(1).map(String).join('.');
      // A rule about several variables (`custom`) may name an absent one: its own message is shown instead of "is missing".
      const missing = present[name] === undefined && issue.code !== 'custom';
      return missing ? `${name}: is missing` : `${name}${inner ? ` (at ${inner})` : ''}: ${issue.message}`;
    }),
  );
}
