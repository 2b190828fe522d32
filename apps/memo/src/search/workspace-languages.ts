import { type Sql } from '@inference/database';
import { DEFAULT_LANGUAGE } from '../analysis/languages';

/** Fewer chunks than this share are taken for mistakes of who recognised their language. */
const LEAST_SHARE = 0.01;

const COUNT = {
  name: 'search-languages',
  text: `
    SELECT l.key AS language, sum(l.value::integer)::integer AS chunks
    FROM memo.segments s CROSS JOIN LATERAL json_each_text(s.languages) l WHERE s.workspace_id = $1
    GROUP BY l.key ORDER BY chunks DESC, l.key`,
};

/** Those by whose rules the words of a workspace were shortened, the most used one first. */
export async function languagesOf(sql: Sql, workspaceId: string): Promise<string[]> {
  const { rows } = await sql.query<{ language: string; chunks: number }>({ ...COUNT, values: [workspaceId] });
  const all = rows.reduce((sum, { chunks }) => sum + chunks, 0);
  const used = rows.filter(({ chunks }) => chunks >= all * LEAST_SHARE).map(({ language }) => language);
  return used.length > 0 ? used : [DEFAULT_LANGUAGE];
}
