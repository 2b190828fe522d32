import { type Executor } from '@inference/database';
import { DEFAULT_LANGUAGE } from '../analysis/languages';
import { countChunksByLanguage } from '../index/storage/segments.repository';

/** Languages of a smaller share of the chunks are considered detection errors. */
const MIN_CHUNK_SHARE = 0.01;

/** The languages of a workspace's stemmers, the most frequent one first. */
export async function languagesOf(executor: Executor, workspaceId: string): Promise<string[]> {
  const counts = await countChunksByLanguage(executor, workspaceId);
  const all = counts.reduce((sum, { chunks }) => sum + chunks, 0);
  const used = counts.filter(({ chunks }) => chunks >= all * MIN_CHUNK_SHARE).map(({ language }) => language);
  return used.length > 0 ? used : [DEFAULT_LANGUAGE];
}
