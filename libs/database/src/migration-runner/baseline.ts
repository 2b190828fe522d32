import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type QueryRunner } from 'typeorm';
import { describeMigration } from '../migration';
import { MIGRATIONS_TABLE } from './former-migrations';

/** SQL files that together create the tables of version 0.1.0, in the order of their names. */
const FOLDER = join(__dirname, '../baseline');

/** The migrations of version 0.1.0, which the baseline replaces, by the names under which databases have recorded them. */
export const BASELINE = [
  'Roles0000000000001',
  'Accounts0000000000002',
  'Pricing0000000000003',
  'Wallet0000000000004',
  'Metering0000000000005',
  'AccountSecurity0000000000006',
  'Guesses0000000000007',
  'Mail0000000000008',
  'Identities0000000000009',
  'Payments0000000000010',
  'Documents0000000000011',
  'Catalogue0000000000012',
  'Agent0000000000013',
  'Training0000000000014',
  'Memo0000000000015',
  'PlainNames0000000000016',
  'BackgroundJobs0000000000017',
  'AgentSessionsByAccount0000000000018',
  'PaymentTimesAndLeaseRecall0000000000019',
  'TrainingPrices0000000000020',
  'WorkspaceUsageKey0000000000021',
  'RefreshTokens0000000000022',
  'TurnsWithoutKey0000000000023',
  'RollupKeyColumn0000000000024',
  'RollupByKey0000000000025',
  'RecountedRollup0000000000026',
  'BrokenOffEvents0000000000027',
  'ChangedKeyLimits0000000000028',
  'PaymentsByTime0000000000029',
  'LowBalanceThresholds0000000000030',
  'CallsOfAnswers0000000000031',
  'AccountSearch0000000000032',
  'ResumableUploads0000000000033',
  'RefundsAndLatePayments0000000000034',
];

/** Creates the tables of the baseline in an empty database, and records its migrations as applied. */
export async function createBaseline(runner: QueryRunner, classNames: string[]): Promise<void> {
  for (const file of readdirSync(FOLDER).sort()) await runner.query(readFileSync(join(FOLDER, file), 'utf8'));
  for (const name of classNames)
    await runner.query(`INSERT INTO public.${MIGRATIONS_TABLE} (timestamp, name) VALUES ($1, $2)`, [
      describeMigration(name).number,
      name,
    ]);
}
