import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../site/service-process';

interface Component {
  name: string;
  version: string;
  purl: string;
  hashes?: { alg: string; content: string }[];
}

interface Bill {
  bomFormat: string;
  specVersion: string;
  serialNumber: string;
  metadata: { component: { name: string; type: string; version: string } };
  components: Component[];
  dependencies: { ref: string }[];
}

const readJson = <T>(file: string) => JSON.parse(readFileSync(file, 'utf8')) as T;
const product = readJson<{ version: string; dependencies: Record<string, string> }>(
  join(ROOT, 'package.json'),
);
const { packages } = readJson<{ packages: Record<string, { version: string; integrity?: string }> }>(
  join(ROOT, 'package-lock.json'),
);
/** Name, version and checksum of every locked package. */
const locked = new Set(
  Object.entries(packages).map(([place, { version, integrity = '' }]) =>
    [place.split('node_modules/').at(-1), version, integrity].join(' '),
  ),
);

describe('npm run sbom', () => {
  let bill: Bill;
  let names: string[];

  beforeAll(() => {
    const folder = mkdtempSync(join(tmpdir(), 'bill-'));
    const file = join(folder, 'bill.json');
    try {
      execFileSync('npm', ['run', 'sbom', '--', file], { cwd: ROOT, stdio: 'pipe' });
      bill = readJson(file);
    } finally {
      rmSync(folder, { recursive: true });
    }
    names = bill.components.map(({ name }) => name);
  });

  it('writes CycloneDX of the product', () => {
    expect(bill).toMatchObject({
      bomFormat: 'CycloneDX',
      specVersion: expect.stringMatching(/^1\.\d$/) as string,
      serialNumber: expect.stringMatching(/^urn:uuid:/) as string,
      metadata: { component: { name: 'inference-platform', type: 'application', version: product.version } },
    });
    expect(bill.dependencies.length).toBeGreaterThanOrEqual(bill.components.length);
  });

  it('lists what runs and what is part of the pages, but no tools of development', () => {
    // pg and express are also used by tools of development.
    const expected = [...Object.keys(product.dependencies), 'pg', 'express', 'react', '@mantine/core'];
    expect(expected.filter((name) => !names.includes(name))).toEqual([]);
    expect(names.filter((name) => /^(typescript|jest|nx|vite|eslint|knip)$/.test(name))).toEqual([]);
  });

  it('names the locked versions and checksums', () => {
    const unknown = bill.components.filter(({ name, version, hashes = [] }) => {
      const checksums = hashes.map(({ alg, content }) => {
        return `${alg.replace('-', '').toLowerCase()}-${Buffer.from(content, 'hex').toString('base64')}`;
      });
      return !locked.has([name, version, checksums.join()].join(' '));
    });
    expect(unknown).toEqual([]);
    expect(bill.components.filter(({ purl }) => !purl.startsWith('pkg:npm/'))).toEqual([]);
  });
});
