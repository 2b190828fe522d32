import { Metrics, TooManyRequestsException } from '@inference/http';
import { Inject, Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { UPSTREAMS_CONFIG, type UpstreamsConfig } from './upstreams.config';

/** Shorter answers do not count: nearly all are. */
export const UNCOUNTED_BYTES = 2 ** 20;
/** An answer is held as it has arrived, and as it is sent. What is made of its JSON, before it is sent, is not counted. */
const COPIES = 2;
/** Part of the memory that one account may use, or one answer of any length. A half would let two of them take all of it. */
const ACCOUNT_PARTS = 4;
const RETRY_AFTER_SECONDS = 1;

/** The long answers of an account, or of all of them. */
class Share {
  private heldBytes = 0;
  /** The oldest first. */
  private readonly answers = new Set<HeldAnswer>();

  constructor(private readonly limitBytes: number) {}

  get bytes(): number {
    return this.heldBytes;
  }

  get isEmpty(): boolean {
    return this.answers.size === 0;
  }

  join(answer: HeldAnswer): void {
    this.answers.add(answer);
  }

  /** The oldest answer always has room: otherwise some that are being read could wait for one another. */
  hasRoom(answer: HeldAnswer, added: number): boolean {
    return this.heldBytes + added <= this.limitBytes || this.answers.values().next().value === answer;
  }

  add(bytes: number): void {
    this.heldBytes += bytes;
  }

  leave(answer: HeldAnswer): void {
    this.answers.delete(answer);
    this.heldBytes -= answer.bytes;
  }
}

/**
 * Counts the bytes of the long answers that the process holds as a whole: in all, and for each account. What has no room waits: its server is
 * not read meanwhile. Without this, few calls of one account could take the memory of the process, for cents: a batch of embeddings is
 * answered with up to 133 MB.
 */
@Injectable()
export class AnswerMemory {
  private readonly limitBytes: number;
  private readonly all: Share;
  private readonly accounts = new Map<string, Share>();
  /** By what is sent again. */
  private readonly kept = new Map<Buffer, { answer: HeldAnswer; holders: number }>();
  private waiting: { answer: HeldAnswer; added: number; resume(): void }[] = [];

  constructor(@Inject(UPSTREAMS_CONFIG) { answerMemoryBytes }: UpstreamsConfig, { registry }: Metrics) {
    this.limitBytes = answerMemoryBytes;
    this.all = new Share(answerMemoryBytes);
    const gauge = (name: string, help: string, read: () => number) =>
      new Gauge({
        name,
        help,
        registers: [registry],
        collect() {
          this.set(read());
        },
      });
    gauge(
      'gateway_long_answer_bytes',
      'Bytes of long answers that are held as a whole.',
      () => this.all.bytes,
    );
    gauge('gateway_waiting_answers', 'Long answers that wait for memory.', () => this.waiting.length);
  }

  /** An answer that may become long. Whoever begins it releases it when it was sent or is not needed. */
  begin(account: string): HeldAnswer {
    return new HeldAnswer(this, account);
  }

  /**
   * Counts a long answer that is in memory already, once however often it is sent; others have to wait for it. Throws 429 if the account
   * holds too many. Undefined for a short one, otherwise whoever holds it calls the returned function.
   */
  hold(account: string, body: Buffer): (() => void) | undefined {
    if (body.length <= UNCOUNTED_BYTES) return undefined;
    const kept = this.kept.get(body) ?? { answer: this.keep(account, body.length), holders: 0 };
    kept.holders++;
    this.kept.set(body, kept);
    return () => {
      if (--kept.holders > 0) return;
      this.kept.delete(body);
      kept.answer.release();
    };
  }

  private keep(account: string, bytes: number): HeldAnswer {
    const answer = this.begin(account);
    const own = this.shareOf(account);
    if (!own.isEmpty && !own.hasRoom(answer, bytes))
      throw new TooManyRequestsException('too many long answers at once', RETRY_AFTER_SECONDS);
    this.join(answer);
    this.count(answer, bytes);
    return answer;
  }

  /** Adds bytes to an answer if there is room, and otherwise as soon as there is; for HeldAnswer only. */
  add(answer: HeldAnswer, added: number): Promise<void> | undefined {
    this.join(answer);
    if (this.take(answer, added)) return undefined;
    return new Promise((resume) => this.waiting.push({ answer, added, resume }));
  }

  /** For HeldAnswer only. */
  remove(answer: HeldAnswer): void {
    const own = this.accounts.get(answer.account);
    if (!own) return;
    this.all.leave(answer);
    own.leave(answer);
    if (own.isEmpty) this.accounts.delete(answer.account);
    const { waiting } = this;
    this.waiting = [];
    for (const one of waiting)
      if (one.answer === answer || this.take(one.answer, one.added)) one.resume();
      else this.waiting.push(one);
  }

  private join(answer: HeldAnswer): void {
    this.all.join(answer);
    this.shareOf(answer.account).join(answer);
  }

  private take(answer: HeldAnswer, added: number): boolean {
    const own = this.shareOf(answer.account);
    if (!own.hasRoom(answer, added) || !this.all.hasRoom(answer, added)) return false;
    this.count(answer, added);
    return true;
  }

  private count(answer: HeldAnswer, added: number): void {
    this.all.add(added);
    this.shareOf(answer.account).add(added);
    answer.bytes += added;
  }

  private shareOf(account: string): Share {
    const known = this.accounts.get(account);
    if (known) return known;
    const share = new Share(this.limitBytes / ACCOUNT_PARTS);
    this.accounts.set(account, share);
    return share;
  }
}

/** The memory of one answer. */
export class HeldAnswer {
  bytes = 0;
  isReleased = false;

  constructor(
    private readonly memory: AnswerMemory,
    readonly account: string,
  ) {}

  /** So many bytes have arrived. Resolves when there is room for them, or when they are released. */
  arrived(bytes: number): Promise<void> | undefined {
    if (this.isReleased || bytes <= UNCOUNTED_BYTES) return undefined;
    return this.memory.add(this, COPIES * bytes - this.bytes);
  }

  /** May be repeated. */
  release(): void {
    if (this.isReleased) return;
    this.isReleased = true;
    this.memory.remove(this);
  }
}
