import { type ModelListener, type Refusal } from '@inference/model-calls';
import { type DeltaSource } from '../streams/delta-writer';
import { type ClaimedTurn } from './turns.repository';

/** The model's response is paused while more text than this waits to be stored. */
const MAX_PENDING_CHARS = 65_536;

/** A turn that runs in this process. */
export class TurnRun implements DeltaSource, ModelListener {
  lastPosition: number;
  pendingText = '';
  /** Another replica has ended the turn, or its session was deleted. */
  isAbandoned = false;
  private readonly abortController = new AbortController();
  private writing = false;
  private resumeModel: (() => void) | undefined;
  private resolveAdmission: (refusal: Refusal | null) => void = () => undefined;
  private whenWritten: (() => void) | undefined;
  /** Resolves with null once the gateway has accepted the call, or with its error once that is recorded. */
  readonly admission = new Promise<Refusal | null>((resolve) => (this.resolveAdmission = resolve));

  constructor(
    readonly turn: ClaimedTurn,
    private readonly write: (run: TurnRun, text: string) => void,
    private eventId?: string,
  ) {
    this.lastPosition = turn.callPosition;
  }

  get turnId(): string {
    return this.turn.id;
  }

  /** Event whose idempotency key is released if the gateway refuses the call; undefined once its request is answered with 200. */
  get refusableEventId(): string | undefined {
    return this.eventId;
  }

  /** The request that posted the event is answered with 200. */
  onAnswered(): void {
    this.eventId = undefined;
  }

  get signal(): AbortSignal {
    return this.abortController.signal;
  }

  onAccepted(): void {
    this.settleAdmission(null);
  }

  /** @param refusal null if the gateway has accepted the call; has no effect the second time */
  settleAdmission(refusal: Refusal | null): void {
    this.resolveAdmission(refusal);
  }

  onText(text: string, resume: () => void): boolean {
    this.writing = true;
    this.write(this, text);
    if (this.pendingText.length < MAX_PENDING_CHARS) return true;
    this.resumeModel = resume;
    return false;
  }

  onWritten(): void {
    if (this.pendingText !== '') return;
    this.writing = false;
    this.whenWritten?.();
    // Resuming may deliver text at once, and pause again.
    const resume = this.resumeModel;
    this.resumeModel = undefined;
    resume?.();
  }

  abandon(): void {
    this.isAbandoned = true;
    this.abortController.abort();
    this.writing = false;
    this.whenWritten?.();
  }

  /** Resolves when all text is stored, or the turn is abandoned. */
  async written(): Promise<void> {
    if (this.writing && !this.isAbandoned) await new Promise<void>((resolve) => (this.whenWritten = resolve));
  }
}
