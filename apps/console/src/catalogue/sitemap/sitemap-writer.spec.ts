import { SITEMAP_SCHEMA } from '../xml-schemas.fixture';
import { faultsOf } from '../xmllint.fixture';
import { SitemapWriter } from './sitemap.service';

const urlOf = (number: number) => `http://site.test/sitemap-${number}.xml`;
const written = (count: number, url: string) => {
  const writer = new SitemapWriter();
  for (let n = 0; n < count; n++) writer.add({ url, changedAt: null });
  return writer.documents(urlOf);
};

describe('sitemaps', () => {
  it.each([
    [1, 1],
    [50_000, 1],
    [50_001, 3],
    [100_000, 3],
  ])('writes %d URLs into %d documents', async (count, documents) => {
    expect(written(count, 'http://site.test/')).toHaveLength(documents);
  });

  it('are at most 50 MB large', async () => {
    const [index, ...sitemaps] = written(30_000, `http://site.test/${'é'.repeat(950)}`);
    expect(index).toContain('sitemapindex');
    expect(sitemaps).toHaveLength(2);
    for (const sitemap of sitemaps) expect(Buffer.byteLength(sitemap)).toBeLessThanOrEqual(52_428_800);
  });

  it('are validated against a schema that detects faults', async () => {
    const [sitemap = ''] = written(2, 'http://site.test/');
    expect(await faultsOf(sitemap, SITEMAP_SCHEMA)).toEqual([]);
    const faulty = [
      sitemap.replace('</loc>', ' a</loc>'),
      sitemap.replace('http://site.test/', '/'),
      sitemap.replace('</loc>', '</loc><lastmod>today</lastmod>'),
      sitemap.replace('</loc>', '</loc><loc>http://site.test/b</loc>'),
      sitemap.replace('schemas/sitemap/0.9', 'schemas/sitemap/1.0'),
      sitemap.replace(/<url>.*<\/url>\n/gs, ''),
    ];
    for (const xml of faulty)
      expect([xml, await faultsOf(xml, SITEMAP_SCHEMA)]).toEqual([
        xml,
        expect.arrayContaining([expect.any(String)]),
      ]);
  });
});
