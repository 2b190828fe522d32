import { type Executor } from '@inference/database';
import { In } from 'typeorm';
import { SourcePart } from '../../tables/document-version.entity';

export async function insertPart(executor: Executor, part: SourcePart): Promise<void> {
  await executor.repository(SourcePart).insert(part);
}

/** Null after the last part. */
export function findPart(executor: Executor, uploadId: string, n: number): Promise<SourcePart | null> {
  return executor.repository(SourcePart).findOneBy({ uploadId, n });
}

/** The parts of several files, each file's in their order. */
export function findParts(executor: Executor, uploadIds: string[]): Promise<SourcePart[]> {
  return executor
    .repository(SourcePart)
    .find({ where: { uploadId: In(uploadIds) }, order: { uploadId: 'ASC', n: 'ASC' } });
}

/** Deletes the parts of uploaded files. */
export async function deleteParts(executor: Executor, uploadIds: string[]): Promise<void> {
  await executor.repository(SourcePart).delete({ uploadId: In(uploadIds) });
}
