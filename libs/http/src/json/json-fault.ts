/** Longest path in a message: names come from the client, and an error must not repeat megabytes of them. */
const MAX_PATH_CHARS = 100;

/** Why bytes are refused as JSON. The message quotes nothing of the body but a short path. */
export class JsonFault extends Error {
  /** Names and indices separated by dots; undefined for the body as a whole. */
  readonly path: string | undefined;

  constructor(
    /** `syntax`: it is not JSON. `limit`: a limit is exceeded. `value`: what is at `path` is refused. */
    readonly kind: 'syntax' | 'limit' | 'value',
    /** Such as "must be given once". */
    readonly problem: string,
    parts: string[] = [],
  ) {
    const path = shortened(parts.join('.'));
    super(path === '' ? `the body ${problem}` : `${path}: ${problem}`);
    this.path = path === '' ? undefined : path;
  }
}

const shortened = (path: string): string =>
  path.length > MAX_PATH_CHARS ? `${path.slice(0, MAX_PATH_CHARS)}…` : path;
