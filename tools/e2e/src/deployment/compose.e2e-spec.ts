import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  APPS,
  type Environment,
  environmentOf,
  generatedVariables,
  serviceOf,
  services,
} from './compose-file';
import { ROOT } from '../site/service-process';

interface BuiltConfig {
  VARIABLES: string[];
  [readConfig: string]: unknown;
}

/** Not in compose.yaml: the image sets the first four, and a mail folder inside a container would be lost with it. */
const NOT_PASSED = ['HOST', 'PORT', 'METRICS_PORT', 'NODE_ENV', 'MAIL_FOLDER'];
/** The variables that the image sets. */
const IMAGE: Environment = { HOST: '0.0.0.0', PORT: '3000', METRICS_PORT: '9090', NODE_ENV: 'production' };

const configOf = (app: string) =>
  jest.requireActual<BuiltConfig>(join(ROOT, `dist/apps/${app}/src/config.js`));

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
  const command = ['node', ...options, '.'].map((part) => JSON.stringify(part)).join(', ');
  expect(dockerfile).toContain(`CMD [${command}]`);
});

describe.each(APPS)('%s', (app) => {
  test('gets every variable that it reads, and no other', () => {
    const { VARIABLES } = configOf(app);
    const passed = Object.keys(serviceOf(app).environment ?? {});
    expect(passed.sort()).toEqual(VARIABLES.filter((name) => !NOT_PASSED.includes(name)).sort());
  });

  test('starts with what make-env.mjs has generated', () => {
    const environment = environmentOf(serviceOf(app), generatedVariables());
    const [[, readConfig] = []] = Object.entries(configOf(app)).filter(([name]) =>
      /^read\w+Config$/.test(name),
    );
    const config = (readConfig as (environment: Environment) => object)({ ...environment, ...IMAGE });
    expect(config).toMatchObject({ SITE: 'intl', PORT: 3000 });
  });
});
