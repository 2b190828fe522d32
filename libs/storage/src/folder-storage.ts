import { createHmac, timingSafeEqual } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Readable } from 'node:stream';
import {
  type DownloadLink,
  type ObjectStorage,
  type PartedFile,
  PartsLostError,
  requireContentLength,
  StorageUnavailableError,
} from './object-storage';

/** Separates these signatures from others that are made with the same secret. */
const PURPOSE = 'download link 1';
const LINKED_KEY = /^[A-Za-z0-9_]{1,64}$/;
const UNIX_SECONDS = /^[1-9]\d{0,14}$/;

/** The signed parts of a link, exactly as they appear in it. */
interface SignedParts {
  key: string;
  fileName: string;
  /** Unix time in seconds at which the link expires. */
  expires: string;
}

type Verdict = 'valid' | 'expired' | 'invalid';

/** The file name comes last: only it may contain a line break, so the signed text is unambiguous. */
function sign({ key, fileName, expires }: SignedParts, secret: string): string {
  return createHmac('sha256', secret)
    .update([PURPOSE, key, expires, fileName].join('\n'))
    .digest('base64url');
}

function equals(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** True for a key that a link may have. */
export const isLinkedKey = (text: string): boolean => LINKED_KEY.test(text);

/** Signs with the first secret. Returns 43 characters of base64url. */
export function signLink(parts: SignedParts, secrets: string[]): string {
  return sign(parts, secrets[0]!);
}

/** Accepts a signature by any of the secrets, so that secrets can be rotated while old links are valid. */
export function verifyLink(
  parts: SignedParts & { signature: string },
  secrets: string[],
  nowMillis: number,
): Verdict {
  if (!isLinkedKey(parts.key) || !UNIX_SECONDS.test(parts.expires)) return 'invalid';
  if (!secrets.some((secret) => equals(sign(parts, secret), parts.signature))) return 'invalid';
  return nowMillis < Number(parts.expires) * 1000 ? 'valid' : 'expired';
}

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const MAX_KEY_CHARS = 200;
/** Such a key cannot lead out of the folder. */
const KEY = /^[A-Za-z0-9_-][A-Za-z0-9_.=-]*(\/[A-Za-z0-9_-][A-Za-z0-9_.=-]*)*$/;
/** Chosen: a file of 30 GB takes 30,000 reads; half of it doubles them. */
const READ_BYTES = 2 ** 20;

/** Path of the route that serves the links. */
export const FILES_PATH = 'api/files';

/** Turns errors of the file system into StorageUnavailableError. */
async function asUnavailable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new StorageUnavailableError(error);
  }
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;

/** The bytes of a file; undefined if there is none. */
async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

const exists = async (path: string): Promise<boolean> => (await sizeOf(path)) !== undefined;

/** Makes created and removed entries of a folder survive a crash. */
async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Creates a folder with its parents, durably. */
async function makeFolder(path: string): Promise<void> {
  const firstMade = await mkdir(path, { recursive: true, mode: FOLDER_MODE });
  if (firstMade === undefined) return;
  for (let folder = path; ; folder = dirname(folder)) {
    await syncFolder(dirname(folder));
    if (folder === firstMade) return;
  }
}

/** How links to the files of a folder are made. */
export interface FolderLinks {
  /** The first one signs, all of them verify. */
  secrets: string[];
  /** Root of the console, which serves the links; without a slash at the end. */
  publicUrl: string;
}

/**
 * Stores files in a folder, which several processes may share: complete files in `packages`, or in the folders that their keys
 * name; files being written in `incoming`. A source that is not read to its end is not destroyed: it may be a request whose socket still has to carry
 * the response.
 */
export class FolderStorage implements ObjectStorage {
  /** Folder of the complete files whose keys name no folder. */
  readonly packages: string;
  private readonly folder: string;
  private readonly incoming: string;

  /** @param links without it, there are no links */
  constructor(
    folder: string,
    private readonly links?: FolderLinks,
  ) {
    this.folder = resolve(folder);
    this.packages = resolve(folder, 'packages');
    this.incoming = resolve(folder, 'incoming');
  }

  /** The secrets of the links; none if there are no links. */
  get linkSecrets(): string[] {
    return this.links?.secrets ?? [];
  }

  async write(key: string, source: Readable, sizeBytes: number): Promise<void> {
    const { incoming, complete } = this.pathsOf(key);
    // The source may fail while it is not being read; without a listener that would end the process.
    source.on('error', () => undefined);
    const file = await asUnavailable(this.createIncoming(key));
    let current = incoming;
    try {
      try {
        if (await asUnavailable(exists(complete))) throw new Error(`The storage has a file ${key} already.`);
        for await (const chunk of requireContentLength(source, sizeBytes))
          await asUnavailable(file.appendFile(chunk));
        await asUnavailable(file.sync());
      } finally {
        await asUnavailable(file.close());
      }
      await asUnavailable(rename(incoming, complete));
      current = complete;
      await asUnavailable(syncFolder(dirname(complete)));
    } catch (error) {
      await rm(current, { force: true }).catch(() => undefined);
      throw error;
    }
  }

  async beginParts(key: string): Promise<string> {
    const file = await asUnavailable(this.createIncoming(key));
    await asUnavailable(file.close());
    await asUnavailable(syncFolder(this.incoming));
    return key;
  }

  /** Parts have their places in one file, so that joining them copies nothing. */
  async writePart({ key, partBytes }: PartedFile, number: number, content: Buffer): Promise<void> {
    const file = await this.openIncoming(key);
    try {
      const start = (number - 1) * partBytes;
      for (let at = 0; at < content.length;) {
        const { bytesWritten } = await asUnavailable(
          file.write(content, at, content.length - at, start + at),
        );
        at += bytesWritten;
      }
      await asUnavailable(file.sync());
    } finally {
      await asUnavailable(file.close());
    }
  }

  async joinParts({ key, sizeBytes }: PartedFile): Promise<void> {
    const { incoming, complete } = this.pathsOf(key);
    if ((await asUnavailable(sizeOf(complete))) === sizeBytes) return;
    if ((await asUnavailable(sizeOf(incoming))) !== sizeBytes)
      throw new PartsLostError(`The storage has not got all parts of ${key}.`);
    await asUnavailable(rename(incoming, complete));
    await asUnavailable(syncFolder(dirname(complete)));
  }

  async read(key: string): Promise<Readable> {
    const file = await asUnavailable(open(this.pathsOf(key).complete, 'r'));
    return file.createReadStream({ highWaterMark: READ_BYTES });
  }

  sizeOf(key: string): Promise<number | undefined> {
    return asUnavailable(sizeOf(this.pathsOf(key).complete));
  }

  async remove(key: string): Promise<void> {
    const { incoming, complete } = this.pathsOf(key);
    for (const path of [incoming, complete]) {
      if (!(await asUnavailable(exists(path)))) continue;
      await asUnavailable(rm(path, { force: true }));
      await asUnavailable(syncFolder(dirname(path)));
    }
  }

  async link(key: string, { fileName, expiresInSeconds }: DownloadLink): Promise<string> {
    if (!this.links || !isLinkedKey(key))
      throw new TypeError(`There are no links to ${JSON.stringify(key)}.`);
    const expires = String(Math.ceil(Date.now() / 1000) + expiresInSeconds);
    const signature = signLink({ key, fileName, expires }, this.links.secrets);
    const name = encodeURIComponent(fileName);
    return `${this.links.publicUrl}/${FILES_PATH}/${key}?name=${name}&expires=${expires}&signature=${signature}`;
  }

  /** Opens the file exclusively, so that only one process writes it. */
  private async createIncoming(key: string): Promise<FileHandle> {
    const { incoming, complete } = this.pathsOf(key);
    await makeFolder(this.incoming);
    await makeFolder(dirname(complete));
    return open(incoming, 'wx', FILE_MODE);
  }

  /** Never creates the file: after a removal a late part would leave one for ever. */
  private async openIncoming(key: string): Promise<FileHandle> {
    try {
      return await open(this.pathsOf(key).incoming, 'r+');
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw new StorageUnavailableError(error);
      throw new PartsLostError(`The storage has no upload ${key}.`, { cause: error });
    }
  }

  private pathsOf(key: string): { incoming: string; complete: string } {
    if (key.length > MAX_KEY_CHARS || !KEY.test(key))
      throw new TypeError(`${JSON.stringify(key)} is no key of the storage.`);
    // No key has a plus sign.
    return {
      incoming: join(this.incoming, key.replaceAll('/', '+')),
      complete: key.includes('/') ? join(this.folder, key) : join(this.packages, key),
    };
  }
}
