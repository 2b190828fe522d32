import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../site/service-process';

type Environment = Record<string, string>;

interface ComposeService {
  build?: { args?: { APP?: string } };
  command?: string[];
  environment?: Environment;
}

interface BuiltConfig {
  VARIABLES: string[];
  [readConfig: string]: unknown;
}

/** Not in compose.yaml: the image sets the first four, and a mail folder inside a container would be lost with it. */
const NOT_PASSED = ['HOST', 'PORT', 'METRICS_PORT', 'NODE_ENV', 'MAIL_FOLDER'];
/** The variables that the image sets. */
const IMAGE: Environment = { HOST: '0.0.0.0', PORT: '3000', METRICS_PORT: '9090', NODE_ENV: 'production' };
const APPS = ['agent', 'agent-environments', 'console', 'gateway', 'memo', 'router-cost', 'training'];
const REFERENCE = /\$\{(\w+)(?::([-?])([^}]*))?\}/g;

/** The YAML parser that Nx depends on. */
const { parse } = createRequire(require.resolve('nx/package.json'))('yaml') as {
  parse(text: string, options: { merge: boolean }): { services: Record<string, ComposeService> };
};
const { services } = parse(readFileSync(join(ROOT, 'docker/compose.yaml'), 'utf8'), { merge: true });

function serviceOf(app: string): ComposeService {
  const found = Object.values(services).find(({ build, command }) => !command && build?.args?.APP === app);
  if (!found) throw new Error(`docker/compose.yaml does not start ${app}.`);
  return found;
}

const configOf = (app: string) =>
  jest.requireActual<BuiltConfig>(join(ROOT, `dist/apps/${app}/src/config.js`));

/** What make-env.mjs writes, as compose reads it. */
function generatedVariables(): Environment {
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

test('is an example of every app', () => {
  const apps = Object.values(services).flatMap(({ command, build }) =>
    command ? [] : (build?.args?.APP ?? []),
  );
  expect(apps.sort()).toEqual(APPS);
});

test('runs the archive of usage with every variable that it reads, and no other', () => {
  const { fields } = jest.requireActual<{ fields: { shape: object } }>(
    join(ROOT, 'dist/libs/usage-archive/src/usage-archive.config.js'),
  );
  const passed = Object.keys(services['usage-archive']?.environment ?? {});
  expect(passed.sort()).toEqual(Object.keys(fields.shape).sort());
});

test('starts images with the options of Node that npm start uses', () => {
  const launcher = readFileSync(join(ROOT, 'tools/launcher/processes/child-processes.mjs'), 'utf8');
  const options = /SERVICE_NODE_OPTIONS = \[(.*)\];/.exec(launcher)![1]!.match(/--[\w=-]+/g)!;
  const dockerfile = readFileSync(join(ROOT, 'docker/Dockerfile'), 'utf8');
  expect(dockerfile).toContain(`exec node ${options.join(' ')} dist/apps/`);
});

describe.each(APPS)('%s', (app) => {
  test('gets every variable that it reads, and no other', () => {
    const { VARIABLES } = configOf(app);
    const passed = Object.keys(serviceOf(app).environment ?? {});
    expect(passed.sort()).toEqual(VARIABLES.filter((name) => !NOT_PASSED.includes(name)).sort());
  });

  test('starts with what make-env.mjs has generated', () => {
    const variables = generatedVariables();
    const environment = Object.fromEntries(
      Object.entries(serviceOf(app).environment ?? {}).map(([name, value]) => [
        name,
        interpolate(value, variables),
      ]),
    );
    const [[, readConfig] = []] = Object.entries(configOf(app)).filter(([name]) =>
      /^read\w+Config$/.test(name),
    );
    const config = (readConfig as (environment: Environment) => object)({ ...environment, ...IMAGE });
    expect(config).toMatchObject({ SITE: 'intl', PORT: 3000 });
  });
});
