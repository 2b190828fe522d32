import { type MigrationClass } from '../migration';
import { RollupPeriods0000000000035 } from '../migrations/0035_rollup_periods';
import { ArchivedDays0000000000036 } from '../migrations/0036_archived_days';
import { BatchedIndexing0000000000037 } from '../migrations/0037_batched_indexing';
import { RehashedApiKeys0000000000038 } from '../migrations/0038_rehashed_api_keys';
import { SettleGenericPlans0000000000039 } from '../migrations/0039_settle_generic_plans';
import { RefusedSettlements0000000000040 } from '../migrations/0040_refused_settlements';
import { RevokedWorkspaceKeys0000000000041 } from '../migrations/0041_revoked_workspace_keys';
import { MakersOfSessions0000000000042 } from '../migrations/0042_makers_of_sessions';
import { Invitations0000000000043 } from '../migrations/0043_invitations';
import { TermsAcceptances0000000000047 } from '../migrations/0047_terms_acceptances';

/** The newest migration of the previous version, as in `tools/e2e/src/upgrade/previous-build.json`. */
export const NEWEST_OF_PREVIOUS_VERSION = '0034_refunds_and_late_payments';

/**
 * The digest of the function files that belong to the newest migration. A file changes together with a new migration, whose `up` may do
 * nothing: otherwise a host of the former version that starts later would put the former text back.
 */
export const FUNCTIONS_DIGEST = 'dd6bb68da76ec56077b419427219bac4abdfa97c42a4c98041cb5584db2a0f60';

/** The migrations after the baseline, in the order of their numbers. */
export const MIGRATIONS: MigrationClass[] = [
  RollupPeriods0000000000035,
  ArchivedDays0000000000036,
  BatchedIndexing0000000000037,
  RehashedApiKeys0000000000038,
  SettleGenericPlans0000000000039,
  RefusedSettlements0000000000040,
  RevokedWorkspaceKeys0000000000041,
  MakersOfSessions0000000000042,
  Invitations0000000000043,
  TermsAcceptances0000000000047,
];
