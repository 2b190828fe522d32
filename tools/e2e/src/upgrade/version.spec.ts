import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gt, valid } from 'semver';
import { parse } from 'yaml';
import { services } from '../deployment/compose-file';
import { ROOT } from '../site/service-process';
import previous from './previous-build.json';

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const { version } = JSON.parse(read('package.json')) as { version: string };

describe('the version of package.json', () => {
  it('is a semantic version above that of the previous build', () => {
    expect(valid(version)).toBe(version);
    expect(gt(version, previous.version)).toBe(true);
  });

  it('is that of the lock file', () => {
    const lock = JSON.parse(read('package-lock.json')) as {
      version: string;
      packages: Record<string, { version: string }>;
    };
    expect([lock.version, lock.packages['']!.version]).toEqual([version, version]);
  });

  it('comes first in the changelog, before the previous one', () => {
    const versions = [...read('CHANGELOG.md').matchAll(/^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d{2}-\d{2}$/gm)];
    expect(versions.slice(0, 2).map(([, found]) => found)).toEqual([version, previous.version]);
  });

  it.each(['intl', 'cn'])('is the tag of all images of the overlay %s', (site) => {
    const overlay = parse(read(`docker/kubernetes/overlays/${site}/kustomization.yaml`)) as {
      images: { newTag: string }[];
    };
    expect(new Set(overlay.images.map(({ newTag }) => newTag))).toEqual(new Set([version]));
  });

  it('is the label of all images that compose builds', () => {
    const built = Object.values(services).flatMap(({ build }) => (build ? [build.args?.VERSION] : []));
    expect(new Set(built)).toEqual(new Set([version]));
  });

  it('is the tag in the page about Kubernetes', () => {
    const tags = read('docs/operations/kubernetes.md').matchAll(/(?<=--tag |\$app:)\d+\.\d+\.\d+/g);
    expect(new Set([...tags].map(([tag]) => tag))).toEqual(new Set([version]));
  });
});
