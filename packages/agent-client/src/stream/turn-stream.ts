import { type ToolCall } from '../events/event.ts';
import { AgentError } from '../http/agent-error.ts';
import { type TurnErrorEvent, type StreamEvent } from './stream-event.ts';

export type Outcome = 'completed' | 'requires_action' | 'cancelled' | 'failed';

/**
 * The stream of a turn. It can be read once: event by event with `for await`, or to its end with `finalText`. Nothing is sent
 * before reading begins, and nothing is read ahead. Leaving the loop closes the connection, but the turn
 * continues: `resume` with `position` reads the rest.
 */
export class TurnStream implements AsyncIterable<StreamEvent> {
  private readonly events: AsyncGenerator<StreamEvent, void, undefined>;
  private failure: unknown;
  private shownText = '';
  private shownPosition: string | undefined;
  private shownTurnId: string | undefined;
  private shownOutcome: Outcome | undefined;
  private unanswered: ToolCall[] = [];

  constructor(source: AsyncGenerator<StreamEvent | TurnErrorEvent, void, undefined>) {
    this.events = this.observed(source);
  }

  /** The id of the last event that was read, for `resume`. */
  get position(): string | undefined {
    return this.shownPosition;
  }

  get turnId(): string | undefined {
    return this.shownTurnId;
  }

  /** The part of the assistant's message that was read. Tool results begin a new message. */
  get text(): string {
    return this.shownText;
  }

  /** How the turn ended; undefined before its end, and if there was nothing to resume. */
  get outcome(): Outcome | undefined {
    return this.shownOutcome;
  }

  /** The calls whose results the turn waits for, if `outcome` is `requires_action`. */
  get toolCalls(): readonly ToolCall[] {
    return this.unanswered;
  }

  [Symbol.asyncIterator](): AsyncIterator<StreamEvent, void, undefined> {
    return this.events;
  }

  /** Reads to the end. Rejects with an AgentError unless the turn is completed. */
  async finalText(): Promise<string> {
    for await (const _event of this.events);
    if (this.failure !== undefined) throw this.failure;
    if (this.shownOutcome === 'completed') return this.shownText;
    throw this.noFinalText();
  }

  private noFinalText(): AgentError {
    const { turnId } = this;
    switch (this.shownOutcome) {
      case 'cancelled':
        return new AgentError('The turn was cancelled.', { code: 'turn_cancelled', turnId });
      case 'requires_action':
        return new AgentError('The turn waits for the results of tools.', {
          code: 'requires_action',
          turnId,
        });
      default:
        return this.shownPosition === undefined
          ? new AgentError('There is no turn to resume.', { code: 'nothing_to_resume' })
          : new AgentError('The stream was left before its end.', { code: 'left_early', turnId });
    }
  }

  private async *observed(source: AsyncGenerator<StreamEvent | TurnErrorEvent, void, undefined>) {
    try {
      for await (const event of source) {
        this.note(event);
        if (event.kind === 'error') throw this.failureOf(event);
        yield event;
      }
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }

  private note(event: StreamEvent | TurnErrorEvent): void {
    this.shownPosition = event.id;
    if (this.shownOutcome === 'requires_action') {
      this.shownOutcome = undefined;
      this.unanswered = [];
      this.shownText = '';
    }
    switch (event.kind) {
      case 'turn.started':
        this.shownTurnId = event.data.turn_id;
        break;
      case 'delta':
        this.shownText += event.data.content;
        break;
      case 'turn.requires_action':
        this.shownTurnId = event.data.turn_id;
        this.unanswered = event.data.tool_calls;
        this.shownOutcome = 'requires_action';
        break;
      case 'turn.completed':
        this.shownOutcome = 'completed';
        break;
      case 'turn.cancelled':
        this.shownTurnId = event.data.turn_id;
        this.shownOutcome = 'cancelled';
        break;
      case 'error':
        this.shownOutcome = 'failed';
    }
  }

  private failureOf({ data }: TurnErrorEvent): AgentError {
    const { error, code, retryable } = data;
    return new AgentError(error, { code, retryable, turnId: this.turnId });
  }
}
