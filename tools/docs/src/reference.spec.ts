import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './root';

test('the generated pages of docs/reference are current', () => {
  const script = join(ROOT, 'tools/docs/write-reference.mjs');
  const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});
