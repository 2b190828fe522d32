import { type CostQuery } from './cost.dto';

/** The dimensions by which a report can be grouped (spec: Router cost item; beyond it `api_key`). */
export const DIMENSIONS = ['user', 'model', 'entrypoint', 'api_key'] as const;
export type Dimension = (typeof DIMENSIONS)[number];
/** What names a group: a bucket of time, if the report has a granularity, and the dimensions. */
export type GroupKey = Dimension | 'timestamp';

export const groupKeysOf = ({
  granularity,
  group_by: dimensions,
}: Pick<CostQuery, 'granularity' | 'group_by'>): readonly GroupKey[] =>
  granularity === undefined ? dimensions : ['timestamp', ...dimensions];
