import { type QueryRunner } from 'typeorm';
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
import { UnservedCalls0000000000044 } from '../migrations/0044_unserved_calls';
import { SavedPlayground0000000000045 } from '../migrations/0045_saved_playground';
import { AnswerFeedback0000000000046 } from '../migrations/0046_answer_feedback';
import { TermsAcceptances0000000000047 } from '../migrations/0047_terms_acceptances';
import { InternationalAddresses0000000000048 } from '../migrations/0048_international_addresses';
import { FoldedUsage0000000000049 } from '../migrations/0049_folded_usage';
import { PricesWithConditions0000000000050 } from '../migrations/0050_prices_with_conditions';
import { PricesInAnswers0000000000051 } from '../migrations/0051_prices_in_answers';
import { ReadingReports0000000000052 } from '../migrations/0052_reading_reports';
import { SupportedAnswers0000000000053 } from '../migrations/0053_supported_answers';
import { FoundUnservedCalls0000000000054 } from '../migrations/0054_found_unserved_calls';
import { KeyFields0000000000055 } from '../migrations/0055_key_fields';
import { Limits0000000000056 } from '../migrations/0056_limits';
import { StaffRoles0000000000057 } from '../migrations/0057_staff_roles';
import { FoundStaff0000000000058 } from '../migrations/0058_found_staff';
import { ProviderEvents0000000000059 } from '../migrations/0059_provider_events';
import { DayFigures0000000000060 } from '../migrations/0060_day_figures';
import { PriceReasons0000000000061 } from '../migrations/0061_price_reasons';
import { IdempotentCalls0000000000062 } from '../migrations/0062_idempotent_calls';
import { Suspensions0000000000063 } from '../migrations/0063_suspensions';
import { ModelsAndUpstreams0000000000064 } from '../migrations/0064_models_and_upstreams';
import { CostPrices0000000000065 } from '../migrations/0065_cost_prices';
import { Announcements0000000000066 } from '../migrations/0066_announcements';
import { UpstreamProtocols0000000000067 } from '../migrations/0067_upstream_protocols';
import { ManagementKeys0000000000068 } from '../migrations/0068_management_keys';
import { LeakedWorkspaceKeys0000000000069 } from '../migrations/0069_leaked_workspace_keys';
import { AnnouncementMails0000000000070 } from '../migrations/0070_announcement_mails';
import { OldProviderEvents0000000000071 } from '../migrations/0071_old_provider_events';
import { AgentReadsModels0000000000072 } from '../migrations/0072_agent_reads_models';
import { ExportedHours0000000000073 } from '../migrations/0073_exported_hours';
import { RelayedCalls0000000000074 } from '../migrations/0074_relayed_calls';
import { ClientRequestIds0000000000075 } from '../migrations/0075_client_request_ids';
import { LimitHistory0000000000076 } from '../migrations/0076_limit_history';
import { StoredResponses0000000000077 } from '../migrations/0077_stored_responses';
import { AccountViews0000000000078 } from '../migrations/0078_account_views';
import { ItemsOfResponses0000000000079 } from '../migrations/0079_items_of_responses';
import { SkippedMails0000000000080 } from '../migrations/0080_skipped_mails';
import { HourFigures0000000000081 } from '../migrations/0081_hour_figures';
import { PeriodFunctions0000000000082 } from '../migrations/0082_period_functions';
import { ItemsOfKeys0000000000083 } from '../migrations/0083_items_of_keys';
import { UnchargedCosts0000000000084 } from '../migrations/0084_uncharged_costs';
import { ReadByStaff0000000000085 } from '../migrations/0085_read_by_staff';
import { hasTable } from './former-migrations';

/** The newest migration of the previous version, as in `tools/e2e/src/upgrade/previous-build.json`. */
export const NEWEST_OF_PREVIOUS_VERSION = '0034_refunds_and_late_payments';

/**
 * The digest of the function files that belong to the newest migration. A file changes together with a new migration, whose `up` may do
 * nothing: otherwise a host of the former version that starts later would put the former text back.
 */
export const FUNCTIONS_DIGEST = 'd9572edfa400d483b5b6052f83b9e66ff0055df77e10df03bce5fc9c259b5334';

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
  UnservedCalls0000000000044,
  SavedPlayground0000000000045,
  AnswerFeedback0000000000046,
  TermsAcceptances0000000000047,
  InternationalAddresses0000000000048,
  FoldedUsage0000000000049,
  PricesWithConditions0000000000050,
  PricesInAnswers0000000000051,
  ReadingReports0000000000052,
  SupportedAnswers0000000000053,
  FoundUnservedCalls0000000000054,
  KeyFields0000000000055,
  Limits0000000000056,
  StaffRoles0000000000057,
  FoundStaff0000000000058,
  ProviderEvents0000000000059,
  DayFigures0000000000060,
  PriceReasons0000000000061,
  IdempotentCalls0000000000062,
  Suspensions0000000000063,
  ModelsAndUpstreams0000000000064,
  CostPrices0000000000065,
  Announcements0000000000066,
  UpstreamProtocols0000000000067,
  ManagementKeys0000000000068,
  LeakedWorkspaceKeys0000000000069,
  AnnouncementMails0000000000070,
  OldProviderEvents0000000000071,
  AgentReadsModels0000000000072,
  ExportedHours0000000000073,
  RelayedCalls0000000000074,
  ClientRequestIds0000000000075,
  LimitHistory0000000000076,
  StoredResponses0000000000077,
  AccountViews0000000000078,
  ItemsOfResponses0000000000079,
  SkippedMails0000000000080,
  HourFigures0000000000081,
  PeriodFunctions0000000000082,
  ItemsOfKeys0000000000083,
  UnchargedCosts0000000000084,
  ReadByStaff0000000000085,
];

/**
 * Which versions work on the schema. The version that migrates writes the newest migration of the version before it, which works
 * on its schema; a version that has this migration is that version or a newer one. One row.
 */
const TABLE = 'public.schema_compatibility';

/** Returns the newest migration of the oldest version that works on the schema; null if no version has recorded it. */
export async function readOldestVersion(runner: QueryRunner): Promise<string | null> {
  if (!(await hasTable(runner, TABLE))) return null;
  const rows = (await runner.query(`SELECT oldest_version FROM ${TABLE}`)) as { oldest_version: string }[];
  return rows[0]?.oldest_version ?? null;
}

/** Comes before the migrations, so that a schema never has those of a version without this. */
export async function recordOldestVersion(runner: QueryRunner, newestMigration: string): Promise<void> {
  await runner.query(`CREATE TABLE IF NOT EXISTS ${TABLE}
    (id integer PRIMARY KEY DEFAULT 1 CHECK (id = 1), oldest_version text NOT NULL)`);
  await runner.query(
    `INSERT INTO ${TABLE} (oldest_version) VALUES ($1) ON CONFLICT (id) DO UPDATE SET oldest_version = excluded.oldest_version`,
    [newestMigration],
  );
}
