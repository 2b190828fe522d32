import { BUCKET, faultsWith, readWith } from './config.fixture';

describe('the configured pages of the sitemap', () => {
  it('must be paths', () => {
    expect(readWith({ ...BUCKET, SITEMAP_PAGES: '["/", "/docs/a%20b"]' }).sitemap.pages).toEqual([
      '/',
      '/docs/a%20b',
    ]);
    for (const pages of [
      '{}',
      '["a"]',
      '["https://x.example/"]',
      '["/a b"]',
      '["/a", "/a"]',
      '[1]',
      '["/a?b"]',
    ])
      expect(faultsWith({ ...BUCKET, SITEMAP_PAGES: pages })).toEqual([
        expect.stringContaining('SITEMAP_PAGES'),
      ]);
  });
});
