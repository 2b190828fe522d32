import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { ArchiveSite, daysAfter, EARLIER, MONTH } from './archive-site.fixture';
import { dayText } from './files/manifest';

let site: ArchiveSite;

beforeEach(async () => {
  site = await ArchiveSite.start();
  await site.export();
});
afterEach(() => site?.stop());

describe('what was altered', () => {
  const recorded = (set: string) =>
    site.database.pool.query(`UPDATE metering.archived_days SET ${set} WHERE day = $1`, [MONTH]);

  it.each<[string, () => unknown, RegExp]>([
    [
      'a byte of a file',
      () => alterFile((content) => (content[content.length - 9]! ^= 1)),
      /accounts-0001.*(read|sha256)/,
    ],
    [
      'a file that is cut',
      () => writeFileSync(site.pathOf(MONTH, 'accounts-0001.ndjson.gz'), ''),
      /accounts-0001/,
    ],
    [
      'a missing file',
      () => rmSync(site.pathOf(MONTH, 'accounts-0002.ndjson.gz')),
      /accounts-0002.* is missing/,
    ],
    ['a missing manifest', () => rmSync(site.pathOf(MONTH, 'manifest.json')), /manifest.json is missing/],
    [
      'a manifest',
      () => alterManifest((text) => text.replace(/"rows": \d+/, '"rows": 9')),
      /not the recorded one/,
    ],
    ['a manifest that is no JSON', () => alterManifest(() => '{'), /no JSON/],
    ['a record', () => recorded("manifest = replace(manifest, 'gz', 'zip')"), /another SHA-256/],
    [
      'the rollup',
      () =>
        site.database.pool.query('UPDATE metering.hourly_rollup SET tokens = tokens + 1 WHERE hour >= $1', [
          MONTH,
        ]),
      /the rollup/,
    ],
  ])('is found: %s', async (_what, alter, expected) => {
    await alter();
    const { faults } = await site.verify();
    expect(faults.join('\n')).toMatch(expected);
    expect(faults.join('\n')).toContain(dayText(MONTH));
    expect(faults.join('\n')).not.toContain(dayText(EARLIER));
  });

  it.each<[string, () => unknown, string]>([
    ['a record', () => recorded("manifest = manifest || ' '"), 'is the recorded one'],
    ['the checksum of a record', () => recorded("manifest_sha256 = ''"), 'is the recorded one'],
    [
      'the sums of a record',
      () =>
        recorded(`manifest = regexp_replace(manifest, '"cost_picos": "', '"cost_picos": "1', 'g'),
      manifest_sha256 = encode(sha256(convert_to(regexp_replace(manifest, '"cost_picos": "', '"cost_picos": "1', 'g'), 'UTF8')), 'hex')`),
      '= its rollup',
    ],
    [
      'a lost record',
      () => site.database.pool.query('DELETE FROM metering.archived_days WHERE day = $1', [MONTH]),
      'cost of events',
    ],
    ['a record that says the events are there', () => recorded('dropped_at = NULL'), 'cost of events'],
    [
      'the rollup',
      () =>
        site.database.pool.query('UPDATE metering.hourly_rollup SET cost_usd_picos = 1 WHERE hour >= $1', [
          MONTH,
        ]),
      '= its rollup',
    ],
  ])('is found by reconcile: %s', async (_what, alter, expected) => {
    expect(await site.differences()).toEqual([]);
    await alter();
    expect(await site.differences()).toContainEqual(expect.stringContaining(expected));
  });

  it('is not restored', async () => {
    const before = await site.events();
    alterManifest((text) => text.replace(/"rows": \d+/, '"rows": 9'));
    await expect(site.restore(MONTH, daysAfter(MONTH, 1))).rejects.toThrow('not the recorded one');
    await site.database.pool.query('DELETE FROM metering.archived_days WHERE day = $1', [MONTH]);
    await expect(site.restore(MONTH, daysAfter(MONTH, 1))).rejects.toThrow('the sums of the manifest');
    expect(await site.events()).toEqual(before);
  });

  it('is not restored without its record and manifest', async () => {
    await site.database.pool.query('DELETE FROM metering.archived_days WHERE day = $1', [MONTH]);
    rmSync(site.pathOf(MONTH, 'manifest.json'));
    await expect(site.restore(MONTH, daysAfter(MONTH, 1))).rejects.toThrow('neither events nor a record');
  });

  it('is restored without its record', async () => {
    await site.database.pool.query('DELETE FROM metering.archived_days WHERE day = $1', [MONTH]);
    await site.restore(MONTH, daysAfter(MONTH, 1));
    expect(await site.differences()).toEqual([]);
    expect((await site.verify()).faults).toEqual([]);
  });

  function alterFile(alter: (content: Buffer) => void): void {
    const path = site.pathOf(MONTH, 'accounts-0001.ndjson.gz');
    const content = readFileSync(path);
    alter(content);
    writeFileSync(path, content);
  }

  function alterManifest(alter: (text: string) => string): void {
    const path = site.pathOf(MONTH, 'manifest.json');
    writeFileSync(path, alter(readFileSync(path, 'utf8')));
  }
});
