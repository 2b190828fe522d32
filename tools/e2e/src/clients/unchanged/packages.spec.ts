import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../site/service-process';

const GUIDE = readFileSync(join(ROOT, 'docs/guides/clients.md'), 'utf8');
/** Parts of what the guide names. */
const UNNAMED = ['@langchain/core', '@llamaindex/workflow', 'zod'];

test.each(['sdks', 'agents'])('the guide tells the versions of the %s that are tried', (name) => {
  const { dependencies } = JSON.parse(readFileSync(join(__dirname, name, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const rows = GUIDE.split('\n').filter((line) => line.startsWith('|'));
  const missing = Object.entries(dependencies).filter(
    ([each, version]) =>
      !UNNAMED.includes(each) && !rows.some((row) => row.includes(`\`${each}\``) && row.includes(version)),
  );
  expect(missing).toEqual([]);
});
