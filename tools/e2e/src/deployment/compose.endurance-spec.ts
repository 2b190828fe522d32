import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../site/service-process';
import { APPS, readConfig, usageArchiveVariables, variablesOf } from './app-config';
import { environmentOf, generatedVariables, services } from './compose-file';

/** Not in compose.yaml: a mail folder inside a container would be lost with it. */
const NOT_PASSED = ['MAIL_FOLDER'];

function serviceOf(app: string) {
  const found = Object.values(services).find(({ build, command }) => !command && build?.args?.APP === app);
  if (!found) throw new Error(`docker/compose.yaml does not start ${app}.`);
  return found;
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
  const optionsIn = (list: string) =>
    new RegExp(`const ${list} = \\[(.*)\\];`).exec(launcher)![1]!.match(/--[\w=-]+/g)!;
  const dockerfile = readFileSync(join(ROOT, 'docker/Dockerfile'), 'utf8');
  const command = ['node', ...optionsIn('COMMON_NODE_OPTIONS'), '.']
    .map((part) => JSON.stringify(part))
    .join(', ');
  expect(dockerfile).toContain(`CMD [${command}]`);
  const ofGateway = optionsIn('GATEWAY_NODE_OPTIONS').join(' ');
  expect(serviceOf('gateway').environment?.NODE_OPTIONS).toBe(ofGateway);
  expect(APPS.filter((app) => serviceOf(app).environment?.NODE_OPTIONS !== undefined)).toEqual(['gateway']);
  const kubernetes = readFileSync(join(ROOT, 'docker/kubernetes/base/services/gateway.yaml'), 'utf8');
  expect(kubernetes).toContain(`{ name: NODE_OPTIONS, value: ${ofGateway} }`);
});

describe.each(APPS)('%s', (app) => {
  test('gets every variable that it reads, and no other', () => {
    const passed = Object.keys(serviceOf(app).environment ?? {}).filter((name) => name !== 'NODE_OPTIONS');
    expect(passed.sort()).toEqual(
      variablesOf(app)
        .filter((name) => !NOT_PASSED.includes(name))
        .sort(),
    );
  });

  test('starts with what make-env.mjs has generated', () => {
    const environment = environmentOf(serviceOf(app), generatedVariables());
    expect(readConfig(app, environment)).toMatchObject({ SITE: 'intl', PORT: 3000 });
  });
});
