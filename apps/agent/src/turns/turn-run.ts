import { type ModelListener, type Refusal } from '@inference/model-calls';
import { type WrittenTurn } from '../frames/frame-writer';
import { type ClaimedTurn } from './claims';

/** So much may wait to be written before the model is read no further. */
const MAX_UNWRITTEN_CHARS = 65_536;

/** A turn while it runs in this process. */
export class TurnRun implements WrittenTurn, ModelListener {
  frame: number;
  unwritten = '';
  /** It is not ours any more: whoever took it has said how it ended. */
  lost = false;
  private readonly leaving = new AbortController();
  private writing = false;
  private resumeModel: (() => void) | undefined;
  private settleAdmission: (refusal: Refusal | null) => void = () => undefined;
  private whenWritten: (() => void) | undefined;
  /** Null once the gateway has taken the request; why not, once that is on record. */
  readonly admission = new Promise<Refusal | null>((resolve) => (this.settleAdmission = resolve));

  constructor(
    readonly turn: ClaimedTurn,
    private readonly write: (run: TurnRun, text: string) => void,
    private eventId?: string,
  ) {
    this.frame = turn.callFrame;
  }

  get turnId(): string {
    return this.turn.id;
  }

  /** The event whose idempotency key is given back when the gateway refuses the call; undefined once a stream has begun. */
  get refusableEventId(): string | undefined {
    return this.eventId;
  }

  onStreamed(): void {
    this.eventId = undefined;
  }

  get signal(): AbortSignal {
    return this.leaving.signal;
  }

  onAccepted(): void {
    this.settleAdmission(null);
  }

  onText(text: string, resume: () => void): boolean {
    this.writing = true;
    this.write(this, text);
    if (this.unwritten.length < MAX_UNWRITTEN_CHARS) return true;
    this.resumeModel = resume;
    return false;
  }

  onWritten(): void {
    if (this.unwritten !== '') return;
    this.writing = false;
    this.whenWritten?.();
    // What was held back comes at once, and may be too much again.
    const resume = this.resumeModel;
    this.resumeModel = undefined;
    resume?.();
  }

  onLost(): void {
    this.lost = true;
    this.leaving.abort();
    this.writing = false;
    this.whenWritten?.();
  }

  refused(refusal: Refusal | null): void {
    this.settleAdmission(refusal);
  }

  /** Resolves when all text is written, or the turn is lost. */
  async written(): Promise<void> {
    if (this.writing && !this.lost) await new Promise<void>((resolve) => (this.whenWritten = resolve));
  }
}
