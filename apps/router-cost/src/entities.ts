import { CREDENTIAL_ENTITIES } from '@inference/guards';
import { ArchivedDay, COST_SUM_ENTITIES, ROLLUP_ENTITIES, UsageEvent } from '@inference/metering';

/** The tables that the service uses, with no column that its database role may not read. */
export const ENTITIES = [
  ...CREDENTIAL_ENTITIES,
  ...ROLLUP_ENTITIES,
  ...COST_SUM_ENTITIES,
  ArchivedDay,
  UsageEvent,
];
