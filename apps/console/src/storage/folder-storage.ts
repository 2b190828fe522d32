import { type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Readable } from 'node:stream';
import { type FolderConfig } from '../config.catalogue';
import { announcedBytes } from './announced-bytes';
import { isStorageKey, signLink } from './link-signature';
import { type DownloadLink, type ObjectStorage } from './object-storage';
import { StorageUnavailableError } from './storage-unavailable';

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/** Where the console answers the links of a folder. */
export const FILES_PATH = 'api/files';

/** What goes wrong with the folder itself is no fault of whoever asks. */
async function ofFolder<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new StorageUnavailableError(error);
  }
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Keeps what was put into a folder and taken out of it through a crash. */
async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function makeFolder(path: string): Promise<void> {
  const firstMade = await mkdir(path, { recursive: true, mode: FOLDER_MODE });
  if (firstMade === undefined) return;
  for (let made = path; ; made = dirname(made)) {
    await syncFolder(dirname(made));
    if (made === firstMade) return;
  }
}

/**
 * A folder on a disk, which the console's own replicas may share: `packages` holds what is complete, `incoming` what
 * is on its way. A source that was not read to its end is left as it is, since an answer may have to go where it
 * comes from.
 */
export class FolderStorage implements ObjectStorage {
  /** Of all complete files, each by its key. */
  readonly packages: string;
  readonly linkSecrets: string[];
  private readonly incoming: string;

  /** @param publicUrl of the console, which answers the links; without a slash at its end */
  constructor(
    { folder, linkSecrets }: FolderConfig,
    private readonly publicUrl: string,
  ) {
    this.packages = resolve(folder, 'packages');
    this.incoming = resolve(folder, 'incoming');
    this.linkSecrets = linkSecrets;
  }

  async write(key: string, source: Readable, sizeBytes: number): Promise<void> {
    const { incoming, complete } = this.pathsOf(key);
    // It may fail while nobody reads it yet, or no more.
    source.on('error', () => undefined);
    const file = await ofFolder(this.begin(key));
    let place = incoming;
    try {
      try {
        if (await ofFolder(exists(complete))) throw new Error(`The storage has a file ${key} already.`);
        for await (const chunk of announcedBytes(source, sizeBytes)) await ofFolder(file.appendFile(chunk));
        await ofFolder(file.sync());
      } finally {
        await ofFolder(file.close());
      }
      await ofFolder(rename(incoming, complete));
      place = complete;
      await ofFolder(syncFolder(this.packages));
    } catch (error) {
      await rm(place, { force: true }).catch(() => undefined);
      throw error;
    }
  }

  async remove(key: string): Promise<void> {
    const { incoming, complete } = this.pathsOf(key);
    for (const path of [incoming, complete]) {
      if (!(await ofFolder(exists(path)))) continue;
      await ofFolder(rm(path, { force: true }));
      await ofFolder(syncFolder(dirname(path)));
    }
  }

  async link(key: string, { fileName, expiresInSeconds }: DownloadLink): Promise<string> {
    this.pathsOf(key);
    const expires = String(Math.ceil(Date.now() / 1000) + expiresInSeconds);
    const signature = signLink({ key, fileName, expires }, this.linkSecrets);
    const name = encodeURIComponent(fileName);
    return `${this.publicUrl}/${FILES_PATH}/${key}?name=${name}&expires=${expires}&signature=${signature}`;
  }

  /** Until it ends, nobody else can begin to write the same file. */
  private async begin(key: string): Promise<FileHandle> {
    await makeFolder(this.incoming);
    await makeFolder(this.packages);
    return open(this.pathsOf(key).incoming, 'wx', FILE_MODE);
  }

  private pathsOf(key: string): { incoming: string; complete: string } {
    if (!isStorageKey(key)) throw new TypeError(`${JSON.stringify(key)} is no key of the storage.`);
    return { incoming: join(this.incoming, key), complete: join(this.packages, key) };
  }
}
