import { type DocumentedOperation } from '../requests/requests';

const MAX_PATHS_OF_A_KIND = 50;

const segmentsOf = (path: string): string[] => path.split('/');
const isParameter = (segment: string | undefined): boolean => /^\{\w+\}$/.test(segment ?? '');
/** Names of parameters differ from operation to operation. */
const kindOf = (service: string, pattern: string[]): string =>
  `${service} ${pattern.map((segment) => (isParameter(segment) ? '{}' : segment)).join('/')}`;

/**
 * The newest paths of which a service has said that there is something: `/v1/workspaces/ws_1/documents/doc_2` for the
 * operations below `/v1/workspaces/{workspace_id}/documents/{document_id}`.
 */
export class KnownPaths {
  private readonly byKind = new Map<string, string[]>();
  /** The patterns of each service that end with a parameter. */
  private readonly patterns = new Map<string, string[][]>();

  constructor(operations: DocumentedOperation[]) {
    for (const { service, path } of operations)
      for (const pattern of prefixesOf(segmentsOf(path)))
        this.patterns.set(service, [...(this.patterns.get(service) ?? []), pattern]);
  }

  /** The path of a request that has succeeded exists, unless it was deleted, and so does what its response names. */
  learn({ service, method, path: pattern }: DocumentedOperation, path: string, body: unknown): void {
    const segments = segmentsOf(path);
    for (const own of prefixesOf(segmentsOf(pattern)))
      this.add(service, own, segments.slice(0, own.length).join('/'));
    const items = method === 'POST' ? [body] : [];
    for (const child of this.patterns.get(service) ?? []) {
      const collection = child.slice(0, -1);
      const field = child.at(-1)!.slice(1, -1);
      for (const [name, list] of Object.entries(isObject(body) ? body : {})) {
        const isBelow = sameKind(collection, [...segmentsOf(pattern), name]);
        if (Array.isArray(list) && (isBelow || sameKind(collection, segmentsOf(pattern))))
          this.addItems(service, child, isBelow ? `${path}/${name}` : path, list, field);
      }
      if (sameKind(collection, segmentsOf(pattern))) this.addItems(service, child, path, items, field);
    }
  }

  /** Remembers where a response sends the client. */
  learnLink(service: string, link: string): void {
    const segments = segmentsOf(link.split('?')[0]!);
    for (const pattern of this.patterns.get(service) ?? [])
      if (pattern.length === segments.length && pattern.every((name, at) => fits(name, segments[at]!)))
        this.add(service, pattern, link);
  }

  /** Forgets a path, and what is below it. */
  forget({ service, path: pattern }: DocumentedOperation, path: string): void {
    const longest = prefixesOf(segmentsOf(pattern)).at(-1);
    if (!longest) return;
    const gone = segmentsOf(path).slice(0, longest.length).join('/');
    const isGone = (known: string) => known === gone || /^[/?]/.test(known.slice(gone.length));
    for (const [kind, known] of this.byKind)
      if (kind.startsWith(kindOf(service, longest)))
        this.byKind.set(
          kind,
          known.filter((entry) => !(entry.startsWith(gone) && isGone(entry))),
        );
  }

  /**
   * The path with as many of its parameters as possible as they are known together. The last one is none that `isExcluded`
   * names.
   */
  replaceIn(
    { service, path: pattern }: DocumentedOperation,
    path: string,
    choice: number,
    isExcluded: (segment: string) => boolean,
  ): string {
    const [longest, ...shorter] = prefixesOf(segmentsOf(pattern)).reverse();
    if (!longest) return path;
    for (const prefix of [longest, ...shorter]) {
      const all = this.byKind.get(kindOf(service, prefix)) ?? [];
      const known =
        prefix === longest ? all.filter((entry) => !isExcluded(decoded(segmentsOf(entry).at(-1)!))) : all;
      const chosen = known[choice % known.length];
      if (chosen !== undefined) return [chosen, ...segmentsOf(path).slice(prefix.length)].join('/');
    }
    return path;
  }

  private addItems(service: string, pattern: string[], path: string, items: unknown[], field: string): void {
    for (const item of items) {
      if (!isObject(item)) continue;
      const id = item[field] ?? item.id;
      if (typeof id === 'string') this.add(service, pattern, `${path}/${encodeURIComponent(id)}`);
    }
  }

  private add(service: string, pattern: string[], path: string): void {
    const kind = kindOf(service, pattern);
    const known = this.byKind.get(kind) ?? [];
    if (!known.includes(path)) this.byKind.set(kind, [...known, path].slice(-MAX_PATHS_OF_A_KIND));
  }
}

/** The beginnings of a pattern that end with a parameter, the shortest first. */
const prefixesOf = (pattern: string[]): string[][] =>
  pattern.flatMap((segment, index) => (isParameter(segment) ? [pattern.slice(0, index + 1)] : []));

const fits = (name: string, segment: string): boolean => isParameter(name) || name === segment;

const sameKind = (one: string[], other: string[]): boolean => kindOf('', one) === kindOf('', other);

const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
