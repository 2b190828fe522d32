import { ChoiceField } from '@inference/dto';
import { type CostDimension, CostReportQuery } from '@inference/metering';

/** What names a group: a bucket of time, if the report has a granularity, and the dimensions. */
export type GroupKey = CostDimension | 'timestamp';

/** Whose cost a report covers: the caller's, or that of all accounts. */
export const SCOPES = ['own', 'all'] as const;
export type Scope = (typeof SCOPES)[number];

export class CostQuery extends CostReportQuery {
  @ChoiceField(SCOPES, {
    description:
      'Whose cost: `own`: of the caller; `all`: of all accounts, for the roles admin and analyst. The default is `all` for these roles and `own` for others; a service that acts for an account gets `own` unless it asks for `all`. An API key with a spending limit or a list of models always gets its own calls only.',
    example: 'own',
    optional: true,
  })
  accounts?: Scope;
}

export const groupKeysOf = ({
  granularity,
  group_by: dimensions,
}: Pick<CostQuery, 'granularity' | 'group_by'>): readonly GroupKey[] =>
  granularity === undefined ? dimensions : ['timestamp', ...dimensions];
