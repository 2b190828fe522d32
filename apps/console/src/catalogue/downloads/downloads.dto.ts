import { pageQuery } from '@inference/http';
import { z } from 'zod';
import { modelSlug } from '../../validation/model-slug';

const day = z.iso
  .date('must be a date like 2026-01-31')
  .refine((date) => date >= '1970-01-01', 'must not be before 1970');

export const downloadsQuery = z
  .strictObject({
    from: day.optional(),
    to: day.optional(),
    slug: modelSlug.optional(),
    limit: pageQuery.shape.limit,
  })
  .transform(({ from, to, slug, limit }) => {
    const today = new Date().toISOString().slice(0, 10);
    const last = to ?? today;
    return { days: { from: from ?? `${last.slice(0, 7)}-01`, to: last }, slug, limit };
  })
  .refine(({ days: { from, to } }) => from <= to, { path: ['from'], message: 'must not be after `to`' });
export type DownloadsQuery = z.output<typeof downloadsQuery>;

/** A range of UTC days; both ends are included. */
export interface Days {
  from: string;
  to: string;
}
