/** Span of time over which the share of failures is judged. */
const WINDOW_MILLIS = 10_000;
/** From this share of failed calls on, an upstream is left alone. Half tries other servers for one failure in four. */
const OPEN_SHARE = 0.5;
/** Fewer failures say nothing. So many without a success in between open the circuit whatever the share is. */
const OPEN_FAILURES = 3;
/** Calls that begin between a failure and the next success; with the failed one, those that a dead upstream gets. */
const CALLS_AFTER_FAILURE = 2;
/** How long an upstream is left alone at first; doubles with each failed attempt. */
const FIRST_OPEN_MILLIS = 5_000;
const LONGEST_OPEN_MILLIS = 60_000;
/** How long it takes until an upstream that has recovered has its whole share again. */
const RAMP_MILLIS = 10_000;
/** Share with which it begins. */
const RAMP_START = 0.1;
/** Calls that run at a time on an upstream that is left alone, if no other can be called at all. */
const LAST_RESORT_CALLS = 8;
/** An upstream cannot ask for a longer pause. */
const LONGEST_PAUSE_MILLIS = 300_000;

export type CircuitState = 'closed' | 'half_open' | 'open';
/** A call is lost if the connection failed or timed out before an answer. */
export type CallEnd = 'answered' | 'failed' | 'lost' | 'abandoned';
/** What a probe finds: a silent server has taken the connection and does not answer in time. */
export type ProbeResult = 'alive' | 'silent' | 'unreachable';

interface Half {
  calls: number;
  failures: number;
}

/** Decides whether one upstream gets calls of one model. All instants are milliseconds of one clock. */
export class Circuit {
  private openUntil = 0;
  private openMillis = 0;
  /** What `openMillis` was when it has closed. */
  private openMillisBefore = 0;
  private trialMillis = 0;
  private isOpen = false;
  private isProbing = false;
  /** Whether it has opened because the server was not reached, and not because of what it answers. */
  private isLost = false;
  /** How often it has opened. */
  private openings = 0;
  /** Running calls that began since it opened. */
  private attempts = 0;
  private closedAt = -Infinity;
  private pausedUntil = 0;
  private failuresInRow = 0;
  private begunSinceFailure = 0;
  /** Calls and failures of the running half of the window, and of the one before. */
  private readonly halves: readonly [Half, Half] = [
    { calls: 0, failures: 0 },
    { calls: 0, failures: 0 },
  ];
  private halfBegan = 0;

  /** @param random from 0 to 1: the circuits of several gateways shall not close at the same time */
  constructor(private readonly random: () => number = Math.random) {}

  state(now: number): CircuitState {
    if (!this.isOpen) return 'closed';
    return this.isProbing || now >= this.openUntil ? 'half_open' : 'open';
  }

  /** Until when the upstream has asked not to be called; 0 if it has not. */
  get pauseEnd(): number {
    return this.pausedUntil;
  }

  /** Whether a call may begin now. */
  admits(now: number): boolean {
    if (now < this.pausedUntil) return false;
    if (this.isOpen) return now >= this.openUntil;
    return this.failuresInRow === 0 || this.begunSinceFailure < CALLS_AFTER_FAILURE;
  }

  /** Whether a call may begin that no other upstream can take: one failure more is better than no attempt. */
  admitsLastResort(now: number): boolean {
    return now >= this.pausedUntil && (!this.isOpen || this.attempts < LAST_RESORT_CALLS);
  }

  /** The part of its weight that the upstream has: less than 1 for a while after it has recovered. */
  ramp(now: number): number {
    const elapsed = now - this.closedAt;
    return elapsed >= RAMP_MILLIS ? 1 : RAMP_START + (1 - RAMP_START) * (elapsed / RAMP_MILLIS);
  }

  /** Notes that a call begins. Returns what `end` needs to know of it. */
  begin(now: number): number {
    if (this.isOpen) {
      this.attempts++;
      if (now >= this.openUntil) this.tryOnce(now);
    } else if (this.failuresInRow > 0) this.begunSinceFailure++;
    return this.openings;
  }

  /**
   * Notes how a call has ended. One that the client has abandoned says nothing of the upstream.
   * @param openings what `begin` has returned
   */
  end(now: number, end: CallEnd, openings: number): void {
    const isAttempt = this.isOpen && openings === this.openings;
    if (isAttempt) this.attempts--;
    if (end === 'abandoned') {
      if (isAttempt) this.giveUpTrial(now);
      else if (this.begunSinceFailure > 0) this.begunSinceFailure--;
      return;
    }
    // Calls that began before it opened say nothing new.
    if (this.isOpen && !isAttempt) return;
    this.turn(now);
    const [half] = this.halves;
    half.calls++;
    if (end === 'answered') return this.succeed(now);
    half.failures++;
    this.fail(now, end === 'lost');
  }

  /**
   * An answer has broken off that was counted as one.
   * @param began when the call began
   * @param openings what `begin` has returned
   */
  broke(now: number, began: number, openings: number): void {
    // It has closed the circuit too early: whoever breaks off all answers would get calls again and again.
    if (!this.isOpen && openings === this.openings && began < this.closedAt) {
      this.openMillis = this.openMillisBefore;
      this.open(now, false);
    } else this.end(now, 'failed', this.begin(now));
  }

  /** The upstream has asked not to be called for this long. */
  pause(now: number, millis: number): void {
    this.pausedUntil = Math.max(this.pausedUntil, now + Math.min(millis, LONGEST_PAUSE_MILLIS));
  }

  /**
   * Notes what a probe beside the calls has found. A server that is alive and fails calls is left alone as long as before, and one that is
   * silent too, since it may be busy.
   */
  probed(now: number, found: ProbeResult): void {
    if (this.isProbing) return;
    if (found === 'alive') {
      if (this.isOpen && this.isLost) this.openUntil = Math.min(this.openUntil, now);
    } else if (!this.isOpen || (found === 'unreachable' && now >= this.openUntil)) this.open(now, true);
  }

  /** A trial may be a long answer, or hang: after a while another call tries, and after twice that the next. */
  private tryOnce(now: number): void {
    this.trialMillis = this.isProbing ? this.trialMillis * 2 : FIRST_OPEN_MILLIS;
    this.isProbing = true;
    this.openUntil = now + this.trialMillis;
  }

  private giveUpTrial(now: number): void {
    if (this.isProbing) this.openUntil = now;
    this.isProbing = false;
  }

  private fail(now: number, isLost: boolean): void {
    this.failuresInRow++;
    if (this.failuresInRow === 1) this.begunSinceFailure = 0;
    if (this.isOpen) {
      if (this.isProbing) this.open(now, isLost);
      return;
    }
    const calls = this.halves[0].calls + this.halves[1].calls;
    const failures = this.halves[0].failures + this.halves[1].failures;
    if (this.failuresInRow >= OPEN_FAILURES || (failures >= OPEN_FAILURES && failures >= OPEN_SHARE * calls))
      this.open(now, isLost);
  }

  private succeed(now: number): void {
    this.failuresInRow = 0;
    this.begunSinceFailure = 0;
    if (!this.isOpen) return;
    this.isOpen = false;
    this.isProbing = false;
    this.openMillisBefore = this.openMillis;
    this.openMillis = 0;
    this.closedAt = now;
    for (const half of this.halves) half.calls = half.failures = 0;
  }

  private open(now: number, isLost: boolean): void {
    this.openMillis = Math.min(
      this.openMillis === 0 ? FIRST_OPEN_MILLIS : this.openMillis * 2,
      LONGEST_OPEN_MILLIS,
    );
    this.isOpen = true;
    this.isLost = isLost;
    this.isProbing = false;
    this.openings++;
    this.attempts = 0;
    this.openUntil = now + this.openMillis * (1 + this.random() / 4);
  }

  private turn(now: number): void {
    const age = now - this.halfBegan;
    if (age < WINDOW_MILLIS / 2) return;
    const [running, before] = this.halves;
    before.calls = age < WINDOW_MILLIS ? running.calls : 0;
    before.failures = age < WINDOW_MILLIS ? running.failures : 0;
    running.calls = running.failures = 0;
    this.halfBegan = now;
  }
}
