import { type Executor } from '@inference/database';
import { In } from 'typeorm';
import { SourcePart } from './source-part.entity';

export async function insertPart(executor: Executor, part: SourcePart): Promise<void> {
  await executor.repository(SourcePart).insert(part);
}

/** Null after the last part. */
export function findPart(executor: Executor, uploadId: string, n: number): Promise<SourcePart | null> {
  return executor.repository(SourcePart).findOneBy({ uploadId, n });
}

/** Deletes the parts of uploaded files. */
export async function deleteParts(executor: Executor, uploadIds: string[]): Promise<void> {
  await executor.repository(SourcePart).delete({ uploadId: In(uploadIds) });
}
