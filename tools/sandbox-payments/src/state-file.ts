import { existsSync, readFileSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const VERSION = 1;
/** Changes within this time are written together. */
const GATHER_MS = 20;

interface Content<State> {
  version: number;
  state: State;
}

/** Stores one value in a file. Writes are atomic and follow each change soon. */
export class StateFile<State> {
  private written: string | undefined;
  private writing: Promise<void> = Promise.resolve();
  private next: Promise<void> | undefined;

  constructor(
    private readonly file: string,
    private readonly state: () => State,
  ) {}

  /** Returns the stored value, or undefined if there is no file. Throws if the file is invalid. */
  read(): State | undefined {
    if (!existsSync(this.file)) return undefined;
    try {
      const content = JSON.parse(readFileSync(this.file, 'utf8')) as Content<State> | null;
      if (content?.version === VERSION) return content.state;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
    throw new Error(`${this.file} holds no orders that this version can read; move it away to start anew`);
  }

  /** Resolves when the current value is in the file. */
  save(): Promise<void> {
    this.next ??= this.writeNext();
    return this.next;
  }

  private async writeNext(): Promise<void> {
    await this.writing.catch(() => undefined);
    await sleep(GATHER_MS);
    this.next = undefined;
    this.writing = this.write();
    await this.writing;
  }

  private async write(): Promise<void> {
    const content: Content<State> = { version: VERSION, state: this.state() };
    const text = JSON.stringify(content);
    if (text === this.written) return;
    const draft = `${this.file}.draft`;
    const handle = await open(draft, 'w', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, this.file);
    this.written = text;
  }
}
