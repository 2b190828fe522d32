import { type Sql } from '@inference/database';
import { DEFAULT_LANGUAGE } from '../analysis/languages';

/** Languages of a smaller share of the chunks are considered detection errors. */
const MIN_CHUNK_SHARE = 0.01;

const COUNT = {
  name: 'search-languages',
  text: `
    SELECT l.key AS language, sum(l.value::integer)::integer AS chunks
    FROM memo.segments s CROSS JOIN LATERAL json_each_text(s.languages) l WHERE s.workspace_id = $1
    GROUP BY l.key ORDER BY chunks DESC, l.key`,
};

/** The languages of a workspace's stemmers, the most frequent one first. */
export async function languagesOf(sql: Sql, workspaceId: string): Promise<string[]> {
  const { rows } = await sql.query<{ language: string; chunks: number }>({ ...COUNT, values: [workspaceId] });
  const all = rows.reduce((sum, { chunks }) => sum + chunks, 0);
  const used = rows.filter(({ chunks }) => chunks >= all * MIN_CHUNK_SHARE).map(({ language }) => language);
  return used.length > 0 ? used : [DEFAULT_LANGUAGE];
}
