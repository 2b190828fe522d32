import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** Thrown if the environment is invalid. The message names every invalid variable and contains no value. */
export class ConfigError extends Error {
  constructor(readonly faults: string[]) {
    super(`The configuration is not usable:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
  }
}

type Environment = Record<string, string | undefined>;

/**
 * Validates an environment against a schema and returns the typed configuration. Any variable may be given as the path of a
 * file with its value, in a variable of the same name with `_FILE` at the end.
 * An empty variable counts as absent, because compose files pass unset variables as empty ones. Throws ConfigError.
 */
export function loadConfig<T extends z.ZodType>(
  schema: T,
  environment: Environment = process.env,
): z.output<T> {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value));
  const files = readFiles(variablesOf(schema), present);
  const values: Environment = { ...present, ...files.values };
  const result = schema.safeParse(values);
  if (result.success && files.faults.size === 0) return result.data;
  const issues = (result.error?.issues ?? []).map((issue) => {
    const name = String(issue.path[0] ?? 'the environment');
    const inner = issue.path.slice(1).map(String).join('.');
    // A rule about several variables (`custom`) may name an absent one: its own message is shown instead of "is missing".
    const missing = !values[name] && issue.code !== 'custom';
    return {
      name,
      fault: missing ? `${name}: is missing` : `${name}${inner ? ` (at ${inner})` : ''}: ${issue.message}`,
    };
  });
  const others = issues.filter(({ name }) => !files.faults.has(name)).map(({ fault }) => fault);
  throw new ConfigError([...files.faults.values(), ...others]);
}

/** The names of the fields of an object's schema, also if the object is transformed. */
function variablesOf(schema: z.core.$ZodType): string[] {
  if (schema instanceof z.ZodPipe) return variablesOf(schema.in);
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

/** The variables that are given as files: values without the end of the last line, and faults, both by name. */
function readFiles(variables: string[], environment: Environment) {
  const values: Environment = {};
  const faults = new Map<string, string>();
  for (const name of variables) {
    const variable = `${name}_FILE`;
    const file = environment[variable];
    if (!file) continue;
    if (environment[name]) faults.set(name, `${name}: is given twice, also by ${variable}`);
    try {
      values[name] = readFileSync(file, 'utf8').replace(/\r?\n$/, '') || undefined;
    } catch (error) {
      faults.set(name, `${variable}: cannot be read (${(error as NodeJS.ErrnoException).code})`);
    }
  }
  return { values, faults };
}
