/** A name that may be given once, with the names inside its value. */
export interface UniqueName {
  name: string;
  bytes: Buffer;
  bit: number;
  inner: UniqueNames;
}

/** Stands in a tree for the entries of a list. */
export const ENTRIES = Symbol('entries');

/** Says of a tree that it stands for every name, at any depth. */
export const EVERY = Symbol('every');

/** Names of an object with the names inside their values; under ENTRIES the names of the entries of a list. */
export interface NameTree {
  [name: string]: NameTree;
  [ENTRIES]?: NameTree;
  [EVERY]?: true;
}

const NO_BYTES = Buffer.alloc(0);

/** Names of which an object may have each only once. At most 31 in one object, or all. */
export class UniqueNames {
  /** For the entries of a list. */
  readonly entries: UniqueNames | undefined;
  /** Any name, if they are all. */
  readonly every: UniqueName | undefined;
  private readonly byLength: UniqueName[][] = [];

  constructor(tree: NameTree) {
    if (tree[EVERY]) {
      this.entries = this;
      this.every = { name: '', bytes: NO_BYTES, bit: 0, inner: this };
      return;
    }
    this.entries = tree[ENTRIES] && new UniqueNames(tree[ENTRIES]);
    for (const [index, name] of Object.keys(tree).entries()) {
      const bytes = Buffer.from(name);
      const entry = { name, bytes, bit: 1 << index, inner: new UniqueNames(tree[name]!) };
      (this.byLength[bytes.length] ??= []).push(entry);
    }
  }

  /** Finds the name that bytes spell without escapes. */
  find(bytes: Uint8Array, start: number, end: number): UniqueName | undefined {
    const candidates = this.byLength[end - start];
    if (candidates)
      for (const candidate of candidates) if (isAt(candidate.bytes, bytes, start)) return candidate;
    return undefined;
  }
}

function isAt(name: Uint8Array, bytes: Uint8Array, start: number): boolean {
  for (let i = 0; i < name.length; i++) if (bytes[start + i] !== name[i]) return false;
  return true;
}
