import { env } from '@inference/config';
import { z } from 'zod';

export const SITEMAP_CONFIG = Symbol('SITEMAP_CONFIG');

const pages = z
  .array(
    z
      .string('must be a path')
      .regex(/^\/[\w.~!$&'()*+,;=:@%/-]*$/, 'must be a path of a URL, such as /pricing')
      .max(500, 'must have at most 500 characters'),
    'must be an array of paths',
  )
  .min(1, 'must name a page')
  .max(1_000, 'must have at most 1000 paths')
  .refine((paths) => new Set(paths).size === paths.length, 'must name each path once');

export const sitemapFields = {
  /** Public pages of the console UI that the sitemap lists, as a JSON array of paths. */
  SITEMAP_PAGES: env.json(pages).default(['/', '/models', '/pricing', '/downloads', '/changelog']),
};

/** The part of the sitemap that is not read from the database. */
export interface SitemapConfig {
  /** Paths below the root of the console UI. */
  pages: string[];
}

export function sitemapOf(config: { SITEMAP_PAGES: string[] }): SitemapConfig {
  return { pages: config.SITEMAP_PAGES };
}
