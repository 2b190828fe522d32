import { type MigrationClass } from './migration';
import { Roles0000000000001 } from '../migrations/0001_roles';
import { Accounts0000000000002 } from '../migrations/0002_accounts';
import { Pricing0000000000003 } from '../migrations/0003_pricing';
import { Wallet0000000000004 } from '../migrations/0004_wallet';
import { Metering0000000000005 } from '../migrations/0005_metering';
import { AccountSecurity0000000000006 } from '../migrations/0006_account_security';
import { Guesses0000000000007 } from '../migrations/0007_guesses';
import { Mail0000000000008 } from '../migrations/0008_mail';
import { Identities0000000000009 } from '../migrations/0009_identities';
import { Payments0000000000010 } from '../migrations/0010_payments';
import { Documents0000000000011 } from '../migrations/0011_documents';
import { Catalogue0000000000012 } from '../migrations/0012_catalogue';
import { Agent0000000000013 } from '../migrations/0013_agent';
import { Training0000000000014 } from '../migrations/0014_training';
import { Memo0000000000015 } from '../migrations/0015_memo';
import { PlainNames0000000000016 } from '../migrations/0016_plain_names';
import { BackgroundJobs0000000000017 } from '../migrations/0017_background_jobs';
import { AgentSessionsByAccount0000000000018 } from '../migrations/0018_agent_sessions_by_account';
import { PaymentTimesAndLeaseRecall0000000000019 } from '../migrations/0019_payment_times_and_lease_recall';
import { TrainingPrices0000000000020 } from '../migrations/0020_training_prices';
import { WorkspaceUsageKey0000000000021 } from '../migrations/0021_workspace_usage_key';
import { RefreshTokens0000000000022 } from '../migrations/0022_refresh_tokens';
import { TurnsWithoutKey0000000000023 } from '../migrations/0023_turns_without_key';
import { RollupKeyColumn0000000000024 } from '../migrations/0024_rollup_key_column';
import { RollupByKey0000000000025 } from '../migrations/0025_rollup_by_key';
import { RecountedRollup0000000000026 } from '../migrations/0026_recounted_rollup';
import { BrokenOffEvents0000000000027 } from '../migrations/0027_broken_off_events';
import { ChangedKeyLimits0000000000028 } from '../migrations/0028_changed_key_limits';
import { PaymentsByTime0000000000029 } from '../migrations/0029_payments_by_time';
import { LowBalanceThresholds0000000000030 } from '../migrations/0030_low_balance_thresholds';
import { CallsOfAnswers0000000000031 } from '../migrations/0031_calls_of_answers';
import { AccountSearch0000000000032 } from '../migrations/0032_account_search';
import { ResumableUploads0000000000033 } from '../migrations/0033_resumable_uploads';
import { RefundsAndLatePayments0000000000034 } from '../migrations/0034_refunds_and_late_payments';
import { RollupPeriods0000000000035 } from '../migrations/0035_rollup_periods';
import { ArchivedDays0000000000036 } from '../migrations/0036_archived_days';
import { BatchedIndexing0000000000037 } from '../migrations/0037_batched_indexing';
import { RehashedApiKeys0000000000038 } from '../migrations/0038_rehashed_api_keys';
import { SettleGenericPlans0000000000039 } from '../migrations/0039_settle_generic_plans';
import { RefusedSettlements0000000000040 } from '../migrations/0040_refused_settlements';
import { RevokedWorkspaceKeys0000000000041 } from '../migrations/0041_revoked_workspace_keys';
import { MakersOfSessions0000000000042 } from '../migrations/0042_makers_of_sessions';
import { Invitations0000000000043 } from '../migrations/0043_invitations';

/** The newest migration of the previous version, as in `tools/e2e/src/upgrade/previous-build.json`. */
export const NEWEST_OF_PREVIOUS_VERSION = '0034_refunds_and_late_payments';

/** All migrations in the order of their numbers. */
export const MIGRATIONS: MigrationClass[] = [
  Roles0000000000001,
  Accounts0000000000002,
  Pricing0000000000003,
  Wallet0000000000004,
  Metering0000000000005,
  AccountSecurity0000000000006,
  Guesses0000000000007,
  Mail0000000000008,
  Identities0000000000009,
  Payments0000000000010,
  Documents0000000000011,
  Catalogue0000000000012,
  Agent0000000000013,
  Training0000000000014,
  Memo0000000000015,
  PlainNames0000000000016,
  BackgroundJobs0000000000017,
  AgentSessionsByAccount0000000000018,
  PaymentTimesAndLeaseRecall0000000000019,
  TrainingPrices0000000000020,
  WorkspaceUsageKey0000000000021,
  RefreshTokens0000000000022,
  TurnsWithoutKey0000000000023,
  RollupKeyColumn0000000000024,
  RollupByKey0000000000025,
  RecountedRollup0000000000026,
  BrokenOffEvents0000000000027,
  ChangedKeyLimits0000000000028,
  PaymentsByTime0000000000029,
  LowBalanceThresholds0000000000030,
  CallsOfAnswers0000000000031,
  AccountSearch0000000000032,
  ResumableUploads0000000000033,
  RefundsAndLatePayments0000000000034,
  RollupPeriods0000000000035,
  ArchivedDays0000000000036,
  BatchedIndexing0000000000037,
  RehashedApiKeys0000000000038,
  SettleGenericPlans0000000000039,
  RefusedSettlements0000000000040,
  RevokedWorkspaceKeys0000000000041,
  MakersOfSessions0000000000042,
  Invitations0000000000043,
];
