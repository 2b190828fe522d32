import { pageQuery } from '@inference/http';
import { type z } from 'zod';
import { gpuName } from '../pricing.dto';
import { modelSlug } from '../../../validation/model-slug';

export const modelHistoryQuery = pageQuery.extend({ slug: modelSlug.optional() });
export type ModelHistoryQuery = z.output<typeof modelHistoryQuery>;

export const trainingHistoryQuery = pageQuery;
export type TrainingHistoryQuery = z.output<typeof trainingHistoryQuery>;

export const gpuHistoryQuery = pageQuery.extend({ name: gpuName.optional() });
export type GpuHistoryQuery = z.output<typeof gpuHistoryQuery>;

/** A published list; its prices are in `models`, `gpus` or `training`. */
export interface PublishedListView {
  id: string;
  /** ISO 8601. */
  effective_from: string;
  /** Account id of the admin; null for a list that no account published. */
  published_by: string | null;
}
