import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../site/service-process';

/** docker/compose.yaml, as compose reads it. */

export type Environment = Record<string, string>;

interface ComposeService {
  build?: { args?: { APP?: string } };
  command?: string[];
  environment?: Environment;
}

export const APPS = ['agent', 'agent-environments', 'console', 'gateway', 'memo', 'router-cost', 'training'];

const REFERENCE = /\$\{(\w+)(?::([-?])([^}]*))?\}/g;

/** The YAML parser that Nx depends on. */
const { parse } = createRequire(require.resolve('nx/package.json'))('yaml') as {
  parse(text: string, options: { merge: boolean }): { services: Record<string, ComposeService> };
};

export const { services } = parse(readFileSync(join(ROOT, 'docker/compose.yaml'), 'utf8'), { merge: true });

/** The service that runs the app itself, not another command of its image. */
export function serviceOf(app: string): ComposeService {
  const found = Object.values(services).find(({ build, command }) => !command && build?.args?.APP === app);
  if (!found) throw new Error(`docker/compose.yaml does not start ${app}.`);
  return found;
}

/** What make-env.mjs writes. */
export function generatedVariables(): Environment {
  const folder = mkdtempSync(join(tmpdir(), 'make-env-'));
  try {
    const file = join(folder, 'site.env');
    execFileSync(process.execPath, [join(ROOT, 'docker/make-env.mjs'), file]);
    const lines = readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => /^\w+=/.test(line));
    return Object.fromEntries(
      lines.map((line) => {
        const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(line) ?? [];
        return [name, value.replace(/^'(.*)'$/, '$1')];
      }),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** An empty variable counts as unset, as the colon says. */
function interpolate(text: string, variables: Environment): string {
  return text.replace(REFERENCE, (_whole, name: string, operator?: string, rest = '') => {
    const value = variables[name];
    if (value) return value;
    if (operator === '-') return rest as string;
    throw new Error(`${name} is not set.`);
  });
}

/** The environment of a service with the variables of an env file. */
export const environmentOf = ({ environment = {} }: ComposeService, variables: Environment): Environment =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, interpolate(value, variables)]),
  );
