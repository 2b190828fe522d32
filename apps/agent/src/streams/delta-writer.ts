import { setImmediate as nextRound, setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { type Database } from '@inference/database';
import { BACKGROUND_DATABASE, TEXT_CONNECTIONS } from '../background-database.module';
import { appendDeltas, type Delta } from './stream-events.repository';
import { StreamHub } from './stream-hub';

/** A running turn whose text is written. */
export interface DeltaSource {
  readonly turnId: string;
  /** Number of the last stream event that is stored. */
  lastPosition: number;
  /** Text that is not stored yet. */
  pendingText: string;
  /** Called when a delta is stored. */
  onWritten(): void;
  /** Called when this process does not run the turn any more, or could not store its text in time. */
  abandon(): void;
}

/** Bounds the size of one statement. */
const BATCH_TURNS = 2_000;
const RETRY_MILLIS = 250;
/** How long the database may be unavailable before turns are given up. */
const OUTAGE_LIMIT_MILLIS = 20_000;

/**
 * Stores the text of all turns that run in this process, and publishes it only once it is stored: a client never sees text
 * that a crash could lose. Two statements may run at the same time, never with text of the same turn. Text that arrives while
 * both run goes into the next one, so that more turns make larger statements, not more of them.
 */
@Injectable()
export class DeltaWriter {
  private readonly logger = new Logger(DeltaWriter.name);
  /** Turns with text that no statement writes yet. */
  private readonly waiting = new Set<DeltaSource>();
  /** Turns whose text is being written. Their next text waits, so that it is stored after it. */
  private readonly inFlight = new Set<DeltaSource>();
  private readonly statements = new Set<Promise<void>>();
  private writers = 0;

  constructor(
    @Inject(BACKGROUND_DATABASE) private readonly database: Database,
    private readonly hub: StreamHub,
  ) {}

  add(turn: DeltaSource, text: string, replicaId: string): void {
    turn.pendingText += text;
    if (this.inFlight.has(turn)) return;
    this.waiting.add(turn);
    if (this.writers === TEXT_CONNECTIONS) return;
    this.writers += 1;
    void this.writeAll(replicaId);
  }

  /** Resolves when the text that is on its way to the database now is there. */
  async flushed(): Promise<void> {
    await Promise.all(this.statements);
  }

  private async writeAll(replicaId: string): Promise<void> {
    try {
      // Text that arrives in the same round of the event loop goes into one statement.
      await nextRound();
      while (this.waiting.size > 0) {
        const statement = this.write(this.takeWaiting(), replicaId);
        this.statements.add(statement);
        await statement.finally(() => this.statements.delete(statement));
      }
    } finally {
      // In the same step as the last look at the waiting turns: text that is added now starts a writer.
      this.writers -= 1;
    }
  }

  private takeWaiting(): DeltaSource[] {
    const turns: DeltaSource[] = [];
    for (const turn of this.waiting) {
      turns.push(turn);
      this.inFlight.add(turn);
      this.waiting.delete(turn);
      if (turns.length === BATCH_TURNS) break;
    }
    return turns;
  }

  private async write(turns: DeltaSource[], replicaId: string): Promise<void> {
    const deltas = turns.map(({ turnId, lastPosition, pendingText }): Delta => ({
      turnId,
      n: lastPosition + 1,
      text: pendingText,
    }));
    for (const turn of turns) turn.pendingText = '';
    const stored = await this.append(deltas, replicaId);
    for (const turn of turns) this.inFlight.delete(turn);
    turns.forEach((turn, index) => {
      const delta = deltas[index]!;
      if (!stored.has(delta)) return turn.abandon();
      turn.lastPosition = delta.n;
      this.hub.publish(delta.turnId, [{ n: delta.n, kind: 'delta', data: delta.text }]);
      if (turn.pendingText !== '') this.waiting.add(turn);
      turn.onWritten();
    });
  }

  private async append(deltas: Delta[], replicaId: string): Promise<Set<Delta>> {
    const deadline = performance.now() + OUTAGE_LIMIT_MILLIS;
    for (;;) {
      try {
        return await appendDeltas(this.database, deltas, replicaId);
      } catch (error) {
        this.logger.warn(`Text of ${deltas.length} turns could not be written: ${(error as Error).message}`);
        if (performance.now() > deadline) return new Set();
        await sleep(RETRY_MILLIS);
      }
    }
  }
}
