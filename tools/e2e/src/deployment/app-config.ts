import { join } from 'node:path';
import { ROOT } from '../site/service-process';

export type Environment = Record<string, string>;

export const APPS = ['agent', 'agent-environments', 'console', 'gateway', 'memo', 'router-cost', 'training'];
/** The variables that the image sets. */
const IMAGE: Environment = { HOST: '0.0.0.0', PORT: '3000', METRICS_PORT: '9090', NODE_ENV: 'production' };

interface BuiltConfig {
  VARIABLES: string[];
  [readConfig: string]: unknown;
}

const configOf = (app: string) =>
  jest.requireActual<BuiltConfig>(join(ROOT, `dist/apps/${app}/src/config.js`));

/** The variables that an app reads and its image does not set. */
export const variablesOf = (app: string): string[] =>
  configOf(app).VARIABLES.filter((name) => !(name in IMAGE));

/** Parses the configuration of an app as it is in its image. Throws a ConfigError that names every fault. */
export function readConfig(app: string, environment: Environment): object {
  const [[, read] = []] = Object.entries(configOf(app)).filter(([name]) => /^read\w+Config$/.test(name));
  return (read as (environment: Environment) => object)({ ...environment, ...IMAGE });
}

interface UsageArchiveConfig {
  fields: { shape: object };
  readUsageArchiveConfig(environment: Environment): object;
}

const usageArchive = () =>
  jest.requireActual<UsageArchiveConfig>(join(ROOT, 'dist/libs/usage-archive/src/usage-archive.config.js'));

/** The variables that the archive of usage reads. */
export const usageArchiveVariables = (): string[] => Object.keys(usageArchive().fields.shape);

/** Parses the configuration of the archive of usage. Throws a ConfigError that names every fault. */
export const readUsageArchiveConfig = (environment: Environment): object =>
  usageArchive().readUsageArchiveConfig(environment);
