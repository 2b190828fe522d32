import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './documents';

test.each(['write-reference.mjs', 'write-openapi.mjs'])('the pages that %s generates are current', (name) => {
  const script = join(ROOT, 'tools/docs', name);
  const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});
