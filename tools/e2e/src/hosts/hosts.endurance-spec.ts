import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWhere } from '@inference/testing';
import { findProgram } from '../site/nginx';
import { ROOT } from '../site/service-process';
import { describeImages } from './describe-images';
import { describeReplicas, FAKE_CLOCK } from './replicated/describe-replicas';

/** Building takes eight minutes on a busy machine. */
jest.setTimeout(1_800_000);

const NEEDED = ['buildah', 'mmdebstrap', 'ip', 'tc', 'unshare', 'redis-server'];
const missing = [
  ...NEEDED.filter((program) => !findProgram(program)),
  ...(existsSync(FAKE_CLOCK) ? [] : ['libfaketime']),
  ...(process.getuid?.() === 0 ? [] : ['root']),
];
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };

/** False in a container whose own file system is an overlay. */
function canMountOverlay(folder: string): boolean {
  const [lower, upper, work, merged] = ['lower', 'upper', 'work', 'merged'].map((name) => join(folder, name));
  for (const place of [lower, upper, work, merged]) mkdirSync(place!);
  const options = `lowerdir=${lower},upperdir=${upper},workdir=${work}`;
  return (
    spawnSync('unshare', ['--mount', 'mount', '-t', 'overlay', 'overlay', '-o', options, merged!]).status ===
    0
  );
}

/** Where buildah keeps what this proof builds. */
function useOwnStorage(): string {
  const folder = mkdtempSync(join(tmpdir(), 'images-'));
  const configuration = join(folder, 'storage.conf');
  const driver = canMountOverlay(folder) ? 'overlay' : 'vfs';
  const place = `graphroot = "${folder}/storage"\nrunroot = "${folder}/run"`;
  writeFileSync(configuration, `[storage]\ndriver = "${driver}"\n${place}\n`);
  Object.assign(process.env, { CONTAINERS_STORAGE_CONF: configuration, BUILDAH_ISOLATION: 'chroot' });
  return folder;
}

/** buildah keeps the folder of its overlays mounted. */
function removeStorage(folder: string): void {
  spawnSync('buildah', ['rm', '--all']);
  spawnSync('umount', [join(folder, 'storage/overlay')]);
  rmSync(folder, { recursive: true, force: true });
}

const imageOf = (app: string) => `inference-platform/${app}:${version}`;

describeWhere(missing.length === 0, `${missing.join(', ')} is missing`)('the product from its images', () => {
  let folder: string;

  beforeAll(() => {
    folder = useOwnStorage();
    execFileSync(process.execPath, ['tools/images/run.mjs', '--engine', 'buildah', '--local-base'], {
      cwd: ROOT,
      stdio: 'pipe',
      maxBuffer: 64 * 2 ** 20,
    });
  });

  afterAll(() => {
    if (folder) removeStorage(folder);
  });

  describe('each on a host of its own', () => describeImages(imageOf, version));
  describe('with two replicas of each service', () => describeReplicas(imageOf));
});
