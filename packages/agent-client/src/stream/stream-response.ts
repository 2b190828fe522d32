import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { AgentError } from '../http/agent-error.ts';
import { type Connection } from '../http/connection.ts';

/** After a turn's last frame the service ends the response; a connection that was read to its end can be used again. */
const DRAIN_MS = 1_000;

interface StreamListener {
  /** `retry:`, in milliseconds. */
  onRetry(milliseconds: number): void;
  /** Bytes have come, of a heartbeat for instance. */
  onSign(): void;
}

/** One response's messages; the next bytes are read when the ones before were taken. */
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

  /** Ends where the response ends; throws when the connection breaks or stays silent. */
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

  /** Reads on to the end of the response, which is near. */
  async drain(): Promise<void> {
    const rest = async () => {
      while (!(await this.reader.read()).done);
    };
    await this.connection.awaited(rest(), DRAIN_MS).catch(() => undefined);
  }
}
