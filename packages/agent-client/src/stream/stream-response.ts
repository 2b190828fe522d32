import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { AgentError } from '../http/agent-error.ts';
import { type Connection } from '../http/connection.ts';

/** How long to wait for the end of a response after its last event. A connection can be reused only after that end. */
const DRAIN_MS = 1_000;

interface StreamListener {
  /** `retry:`, in milliseconds. */
  onRetry(milliseconds: number): void;
  /** Called when bytes arrive, for example of a heartbeat. */
  onSign(): void;
}

/** The messages of one response. Reads the next bytes only after all messages were consumed. */
export class StreamResponse {
  private readonly reader: ReadableStreamDefaultReader<Uint8Array>;

  constructor(
    response: Response,
    private readonly connection: Connection,
    private readonly listener: StreamListener,
  ) {
    const type = response.headers.get('content-type') ?? '';
    if (!response.body || !type.startsWith('text/event-stream')) {
      throw new AgentError('The answer is no event stream.', { code: 'bad_answer', status: response.status });
    }
    this.reader = response.body.getReader();
  }

  /** Ends with the response. Throws if the connection breaks, or is silent for too long. */
  async *messages(): AsyncGenerator<EventSourceMessage, void, undefined> {
    const complete: EventSourceMessage[] = [];
    const decoder = new TextDecoder();
    const parser = createParser({
      onEvent: (message) => complete.push(message),
      onRetry: (milliseconds) => this.listener.onRetry(milliseconds),
    });
    for (;;) {
      const { done, value } = await this.connection.awaited(this.reader.read());
      if (done) return;
      this.listener.onSign();
      parser.feed(decoder.decode(value, { stream: true }));
      yield* complete.splice(0);
    }
  }

  /** Reads to the end of the response, which follows soon. */
  async drain(): Promise<void> {
    const rest = async () => {
      while (!(await this.reader.read()).done);
    };
    await this.connection.awaited(rest(), DRAIN_MS).catch(() => undefined);
  }
}
