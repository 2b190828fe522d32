import { createHash } from 'node:crypto';
import { type EventRow } from '../database/events.repository';
import { addSums, type EventSums, noEvents } from './manifest';

/** What a run of events is. */
export interface EventRun {
  contentSha256: string;
  sums: EventSums;
  first: EventRow;
  last: EventRow;
}

/** Takes events from batches of them, run by run. */
export class EventCursor {
  private batch: EventRow[] = [];
  private at = 0;

  constructor(private readonly batches: AsyncIterator<EventRow[]>) {}

  /** The next event; undefined after the last one. */
  async next(): Promise<EventRow | undefined> {
    while (this.at === this.batch.length) {
      const { value, done } = await this.batches.next();
      if (done) return undefined;
      this.batch = value as EventRow[];
      this.at = 0;
    }
    return this.batch[this.at];
  }

  /**
   * Yields the lines of the events as long as `isIncluded` holds, at least one, and returns what they are.
   *
   * @param isIncluded is given how many events the run has, its last one and the next one
   */
  async *run(
    isIncluded: (count: number, last: EventRow, next: EventRow) => boolean,
  ): AsyncGenerator<Buffer, EventRun> {
    const hash = createHash('sha256');
    const sums = noEvents();
    const first = (await this.next())!;
    let last = first;
    for (;;) {
      let text = '';
      for (; this.at < this.batch.length; this.at += 1) {
        const row = this.batch[this.at]!;
        if (sums.rows > 0 && !isIncluded(sums.rows, last, row)) break;
        addSums(sums, row.sums);
        text += `${row.line}\n`;
        last = row;
      }
      const lines = Buffer.from(text);
      hash.update(lines);
      if (lines.length > 0) yield lines;
      const next = await this.next();
      if (!next || !isIncluded(sums.rows, last, next)) break;
    }
    return { contentSha256: hash.digest('hex'), sums, first, last };
  }
}
