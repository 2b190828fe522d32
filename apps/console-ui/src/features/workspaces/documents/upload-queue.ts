import { type UploadCall } from '../../../api/send-file';

/** Few at once, so that each of them is seen to move. */
const MOST_AT_ONCE = 2;

export interface Upload {
  id: string;
  file: File;
  /** The document that gets a new version; absent for a new document. */
  documentId?: string | undefined;
  state: 'waiting' | 'sending' | 'failed';
  sentBytes: number;
  /** Sending it again would be refused again. */
  isFinal?: boolean;
  error?: unknown;
}

type Send = (upload: Upload, call: UploadCall) => Promise<unknown>;

/** Files on their way. One that has arrived leaves the queue; one that failed stays until it is repeated or removed. */
export class UploadQueue {
  private uploads: readonly Upload[] = [];
  private readonly calls = new Map<string, AbortController>();
  private readonly listeners = new Set<() => void>();
  private count = 0;

  constructor(private readonly send: Send) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly getUploads = (): readonly Upload[] => this.uploads;

  add(files: File[], documentId?: string): void {
    const added = files.map((file): Upload => {
      this.count += 1;
      return { id: String(this.count), file, documentId, state: 'waiting', sentBytes: 0 };
    });
    this.change([...this.uploads, ...added]);
    this.sendNext();
  }

  /** Shows files that are not sent, with the reason. */
  refuse(files: File[], error: unknown): void {
    const refused = files.map((file): Upload => {
      this.count += 1;
      return { id: String(this.count), file, state: 'failed', isFinal: true, sentBytes: 0, error };
    });
    this.change([...this.uploads, ...refused]);
  }

  cancel(id: string): void {
    this.calls.get(id)?.abort();
    this.calls.delete(id);
    this.change(this.uploads.filter((upload) => upload.id !== id));
    this.sendNext();
  }

  retry(id: string): void {
    this.update(id, { state: 'waiting', sentBytes: 0, error: undefined });
    this.sendNext();
  }

  cancelAll(): void {
    for (const call of this.calls.values()) call.abort();
    this.calls.clear();
    this.change([]);
  }

  private sendNext(): void {
    for (const upload of this.uploads.filter(({ state }) => state === 'waiting'))
      if (this.calls.size < MOST_AT_ONCE) void this.sendOne(upload);
  }

  private async sendOne(upload: Upload): Promise<void> {
    const { id } = upload;
    const call = new AbortController();
    this.calls.set(id, call);
    this.update(id, { state: 'sending' });
    try {
      const onProgress = (sentBytes: number) => this.update(id, { sentBytes });
      await this.send(upload, { signal: call.signal, onProgress });
      this.change(this.uploads.filter((other) => other.id !== id));
    } catch (error) {
      if (call.signal.aborted) return;
      this.update(id, { state: 'failed', error });
    }
    this.calls.delete(id);
    this.sendNext();
  }

  private update(id: string, part: Partial<Upload>): void {
    this.change(this.uploads.map((upload) => (upload.id === id ? { ...upload, ...part } : upload)));
  }

  private change(uploads: readonly Upload[]): void {
    this.uploads = uploads;
    for (const listener of this.listeners) listener();
  }
}
