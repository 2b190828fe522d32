import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../../../..');
const WORKSPACE = '{workspaceRoot}/';

interface Project {
  targets?: { build?: { inputs?: (string | object)[] } };
}

const buildInputs = readdirSync(join(ROOT, 'apps')).flatMap((app) => {
  const { targets } = JSON.parse(readFileSync(join(ROOT, 'apps', app, 'project.json'), 'utf8')) as Project;
  return (targets?.build?.inputs ?? []).filter(
    (input): input is string => typeof input === 'string' && input.startsWith(WORKSPACE),
  );
});
const sent = readFileSync(join(ROOT, '.dockerignore'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('!'))
  .map((line) => line.slice(1));

it('reads the inputs of builds', () => {
  expect(buildInputs.length).toBeGreaterThan(0);
});

it.each(buildInputs)('the images are built with %s', (input) => {
  const path = input.slice(WORKSPACE.length);
  expect(sent.filter((entry) => path === entry || path.startsWith(`${entry}/`))).toHaveLength(1);
});
