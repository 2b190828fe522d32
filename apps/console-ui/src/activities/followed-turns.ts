/**
 * Ids of the agent sessions in which this browser has begun turns, in all tabs and after a reload. Whether a turn still runs is
 * asked of the agent service.
 */
const KEY = 'followed-turns';
const MOST = 10;

const listeners = new Set<() => void>();
const tell = () => listeners.forEach((listener) => listener());

/** What this tab knows if the browser's storage is switched off or full. */
let withoutStorage: string | undefined;

export function readFollowedTurns(): string {
  try {
    return withoutStorage ?? localStorage.getItem(KEY) ?? '[]';
  } catch {
    return '[]';
  }
}

export function followedTurnsIn(stored: string): string[] {
  try {
    const ids: unknown = JSON.parse(stored);
    return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
  } catch {
    return [];
  }
}

function change(next: (ids: string[]) => string[]): void {
  const ids = JSON.stringify(next(followedTurnsIn(readFollowedTurns())).slice(0, MOST));
  try {
    localStorage.setItem(KEY, ids);
  } catch {
    withoutStorage = ids;
  }
  tell();
}

export const followTurn = (sessionId: string): void =>
  change((ids) => [sessionId, ...ids.filter((id) => id !== sessionId)]);
export const forgetTurn = (sessionId: string): void => change((ids) => ids.filter((id) => id !== sessionId));

export function subscribeToFollowedTurns(listener: () => void): () => void {
  listeners.add(listener);
  // Changes of other tabs.
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}
