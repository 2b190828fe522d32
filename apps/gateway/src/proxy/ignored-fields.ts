/** Names what was left out of a request when it was translated. */
export const IGNORED_HEADER = 'X-Ignored-Fields';

/** Clients and proxies refuse an answer with long headers; Node's take 16 kB for all of them. */
const MOST_HEADER_CHARS = 1_000;

/** The header for what was left out: each kind once, however many tools or items have it. */
export function ignoredHeader(ignored: readonly string[]): string {
  const kinds = [...new Set(ignored.map((name) => name.replace(/\.\d+(?=[. ]|$)/g, '.*')))];
  const shown: string[] = [];
  let length = 0;
  for (const kind of kinds) {
    length += kind.length + 2;
    if (length > MOST_HEADER_CHARS) break;
    shown.push(kind);
  }
  const rest = kinds.length - shown.length;
  return rest > 0 ? `${shown.join(', ')} and ${rest} more` : shown.join(', ');
}
