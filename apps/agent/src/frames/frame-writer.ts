import { setImmediate as nextRound, setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { type Delta, FrameStore } from './frame-store';
import { TurnFeeds } from './turn-feeds';

/** A turn that runs here, as far as its text is written. */
export interface WrittenTurn {
  readonly turnId: string;
  /** The last frame that is written. */
  frame: number;
  /** What came since and is not written yet. */
  unwritten: string;
  /** A frame more is written. */
  onWritten(): void;
  /** The turn is not this process's any more, or its text could not be written for too long. */
  onLost(): void;
}

const BATCH = 2_000;
const RETRY_MILLIS = 250;
/** How long the database may be away before the turns are given up. */
const PATIENCE_MILLIS = 20_000;

/**
 * Writes the text of all turns that run here, and offers it to their readers once it is written: nobody ever sees a
 * character that a crash could take back. All that came while one statement was under way goes into the next one, so
 * the more turns run, the larger the statements get, not their number.
 */
@Injectable()
export class FrameWriter {
  private readonly logger = new Logger(FrameWriter.name);
  private readonly waiting = new Set<WrittenTurn>();
  private writing: Promise<void> | undefined;

  constructor(
    private readonly frames: FrameStore,
    private readonly feeds: TurnFeeds,
  ) {}

  add(turn: WrittenTurn, text: string, runner: string): void {
    turn.unwritten += text;
    this.waiting.add(turn);
    this.writing ??= this.writeAll(runner);
  }

  /** Resolves when nothing is on its way to the database. */
  async idle(): Promise<void> {
    await this.writing;
  }

  private async writeAll(runner: string): Promise<void> {
    // What arrives in the same round of the event loop goes together.
    await nextRound();
    while (this.waiting.size > 0) {
      const turns: WrittenTurn[] = [];
      for (const turn of this.waiting) {
        turns.push(turn);
        this.waiting.delete(turn);
        if (turns.length === BATCH) break;
      }
      await this.write(turns, runner);
    }
    this.writing = undefined;
  }

  private async write(turns: WrittenTurn[], runner: string): Promise<void> {
    const deltas = turns.map(({ turnId, frame, unwritten }): Delta => ({
      turnId,
      n: frame + 1,
      text: unwritten,
    }));
    for (const turn of turns) turn.unwritten = '';
    const written = await this.append(deltas, runner);
    turns.forEach((turn, index) => {
      const { turnId, n, text } = deltas[index]!;
      if (!written.has(turnId)) return turn.onLost();
      turn.frame = n;
      this.feeds.publish(turnId, [{ n, kind: 'delta', data: text }]);
      turn.onWritten();
    });
  }

  private async append(deltas: Delta[], runner: string): Promise<Set<string>> {
    const givenUpAt = performance.now() + PATIENCE_MILLIS;
    for (let again = false; ; again = true) {
      try {
        return await this.frames.appendDeltas(deltas, runner, again);
      } catch (error) {
        this.logger.warn(`Text of ${deltas.length} turns could not be written: ${(error as Error).message}`);
        if (performance.now() > givenUpAt) return new Set();
        await sleep(RETRY_MILLIS);
      }
    }
  }
}
