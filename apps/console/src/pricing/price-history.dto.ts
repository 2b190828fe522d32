import { pageQuery } from '@inference/http';
import { type z } from 'zod';
import { gpuName } from './pricing.dto';
import { slugField } from './slug';

export const modelHistoryQuery = pageQuery.extend({ slug: slugField.optional() });
export type ModelHistoryQuery = z.output<typeof modelHistoryQuery>;

export const gpuHistoryQuery = pageQuery.extend({ name: gpuName.optional() });
export type GpuHistoryQuery = z.output<typeof gpuHistoryQuery>;

/** A list as it was published; the rows follow in `models` or `gpus`. */
export interface PublishedListView {
  id: string;
  /** ISO 8601. */
  effective_from: string;
  /** The admin's account; null for a list that no account has published. */
  published_by: string | null;
}
