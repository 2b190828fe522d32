import { type Executor, type Position, readNewestFirst, type Transaction } from '@inference/database';
import { Preset } from './preset.entity';

type Owned = Pick<Preset, 'id' | 'accountId'>;

export type PresetContent = Pick<Preset, 'name' | 'settings'>;

/** Newest first. */
export function listPresets(
  executor: Executor,
  accountId: string,
  after: Position | null,
  count: number,
): Promise<(Preset & { position: Position })[]> {
  const presets = executor.repository(Preset).createQueryBuilder('preset').where({ accountId });
  return readNewestFirst(presets, 'createdAt', after, count);
}

export function findPreset(executor: Executor, { id, accountId }: Owned): Promise<Preset | null> {
  return executor.repository(Preset).findOneBy({ id, accountId });
}

export function countPresets(transaction: Transaction, accountId: string): Promise<number> {
  return transaction.repository(Preset).countBy({ accountId });
}

/** Throws a unique violation if the account has a preset of the name. */
export async function insertPreset(transaction: Transaction, preset: Owned & PresetContent): Promise<void> {
  await transaction.repository(Preset).insert(preset);
}

/** Returns false if the account has no such preset. Throws a unique violation if it has another one of the name. */
export async function replacePreset(
  executor: Executor,
  { id, accountId }: Owned,
  content: PresetContent,
): Promise<boolean> {
  const { affected } = await executor
    .repository(Preset)
    .update({ id, accountId }, { ...content, updatedAt: () => 'clock_timestamp()' });
  return affected === 1;
}

/** Returns false if the account has no such preset. */
export async function deletePreset(executor: Executor, { id, accountId }: Owned): Promise<boolean> {
  return (await executor.repository(Preset).delete({ id, accountId })).affected === 1;
}
