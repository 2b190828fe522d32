import { type ListView } from '../../components/list-view';
import { type MemoSchemas } from '../../api/service-apis';
import { type Workspace } from './workspace-queries';
import { type WorkspaceKeyOrder, type WorkspaceOrder } from './workspace-search';

export type WorkspaceKey = MemoSchemas['KeyResponse'];

type Compare<Row> = (one: Row, other: Row) => number;

const byName: Compare<{ name: string }> = (one, other) =>
  one.name.localeCompare(other.name, undefined, { numeric: true });
const byNewest: Compare<{ created_at: string }> = (one, other) =>
  other.created_at.localeCompare(one.created_at);

const BY_ORDER: Record<WorkspaceOrder, Compare<Workspace>> = {
  newest: byNewest,
  name: byName,
  documents: (one, other) => other.document_count.compare(one.document_count),
  size: (one, other) => other.bytes.compare(one.bytes),
};

const KEYS_BY_ORDER: Record<WorkspaceKeyOrder, Compare<WorkspaceKey>> = {
  newest: byNewest,
  name: byName,
  used: (one, other) => (other.last_used_at ?? '').localeCompare(one.last_used_at ?? ''),
};

const wordsOf = (q = '') => q.toLowerCase().split(/\s+/).filter(Boolean);

/** The workspaces whose name has every word. */
export const chosenWorkspaces = (
  workspaces: Workspace[],
  { q, sort = 'newest' }: ListView<WorkspaceOrder>,
): Workspace[] =>
  workspaces
    .filter(({ name }) => wordsOf(q).every((word) => name.toLowerCase().includes(word)))
    .sort(BY_ORDER[sort]);

/** The keys whose name or secret has every word. */
export const chosenWorkspaceKeys = (
  keys: WorkspaceKey[],
  { q, sort = 'newest' }: ListView<WorkspaceKeyOrder>,
): WorkspaceKey[] =>
  keys
    .filter(({ name, prefix }) => {
      const text = `${name}\n${prefix}`.toLowerCase();
      // Whoever has a secret at hand pastes all of it.
      return wordsOf(q).every((word) => text.includes(word) || word.startsWith(prefix.toLowerCase()));
    })
    .sort(KEYS_BY_ORDER[sort]);
