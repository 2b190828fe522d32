import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../site/service-process';
import { APPS, type Environment, readConfig, usageArchiveVariables, variablesOf } from './app-config';
import { type ComposeService, services } from './compose-file';

/** Not in compose.yaml: a mail folder inside a container would be lost with it. */
const NOT_PASSED = ['MAIL_FOLDER'];
const REFERENCE = /\$\{(\w+)(?::([-?])([^}]*))?\}/g;

function serviceOf(app: string): ComposeService {
  const found = Object.values(services).find(({ build, command }) => !command && build?.args?.APP === app);
  if (!found) throw new Error(`docker/compose.yaml does not start ${app}.`);
  return found;
}

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
  const passed = Object.keys(services['usage-archive']?.environment ?? {});
  expect(passed.sort()).toEqual(usageArchiveVariables().sort());
});

test('starts images with the options of Node that npm start uses', () => {
  const launcher = readFileSync(join(ROOT, 'tools/launcher/processes/child-processes.mjs'), 'utf8');
  const options = /SERVICE_NODE_OPTIONS = \[(.*)\];/.exec(launcher)![1]!.match(/--[\w=-]+/g)!;
  const dockerfile = readFileSync(join(ROOT, 'docker/Dockerfile'), 'utf8');
  expect(dockerfile).toContain(`exec node ${options.join(' ')} dist/apps/`);
});

describe.each(APPS)('%s', (app) => {
  test('gets every variable that it reads, and no other', () => {
    const passed = Object.keys(serviceOf(app).environment ?? {});
    expect(passed.sort()).toEqual(
      variablesOf(app)
        .filter((name) => !NOT_PASSED.includes(name))
        .sort(),
    );
  });

  test('starts with what make-env.mjs has generated', () => {
    const variables = generatedVariables();
    const environment = Object.fromEntries(
      Object.entries(serviceOf(app).environment ?? {}).map(([name, value]) => [
        name,
        interpolate(value, variables),
      ]),
    );
    expect(readConfig(app, environment)).toMatchObject({ SITE: 'intl', PORT: 3000 });
  });
});
