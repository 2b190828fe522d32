import { type OnApplicationShutdown } from '@nestjs/common';

/** For how long rows are collected, and the pause before a batch is tried again. Chosen: four statements a second at most. */
const PAUSE_MILLIS = 250;
/** How long the end of the process waits for the last rows. */
const SHUTDOWN_PATIENCE_MILLIS = 3_000;

/** Writes rows in the background, batch by batch, so that no answer waits for it. */
export abstract class BackgroundWriter<Row> implements OnApplicationShutdown {
  protected waiting: Row[] = [];
  protected isStopping = false;
  private running: Promise<void> | undefined;
  private endPause: () => void = () => undefined;

  /** Writes some of the rows that wait, or leaves them for the next time. Never rejects. */
  protected abstract writeBatch(): Promise<void>;

  async onApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    this.endPause();
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise((resolve) => (timer = setTimeout(resolve, SHUTDOWN_PATIENCE_MILLIS)));
    await Promise.race([this.running, patience]);
    clearTimeout(timer);
  }

  protected add(...rows: Row[]): void {
    this.waiting.push(...rows);
    this.running ??= this.write();
  }

  /** There is none while the process ends. */
  protected pause(): Promise<void> {
    if (this.isStopping) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, PAUSE_MILLIS);
      this.endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private async write(): Promise<void> {
    while (this.waiting.length > 0) {
      await this.pause();
      await this.writeBatch();
    }
    this.running = undefined;
  }
}
