import { type Charge } from '@inference/metering';
import { dataOf, type SseEvent, SseEventReader } from '@inference/sse';
import { eventWithCost } from '../proxy/usage/usage-cost';
import { type Fields, type TaskEvents } from './task';

const DONE = '[DONE]';

/** Cuts the events of an answer so that those which may end it wait until it is billed. */
export class TaskStream {
  /** The upstream reported an error. */
  hasFailed = false;
  private readonly reader = new SseEventReader();
  private waiting: SseEvent[] = [];
  private usageEvent: SseEvent | null = null;

  /** @param reportsCost whether the usage tells the price */
  constructor(
    private readonly events: TaskEvents,
    private readonly reportsCost: boolean,
  ) {}

  /** Returns what may be sent. */
  push(chunk: Buffer): string {
    let ready = '';
    for (const event of this.reader.push(chunk)) ready += this.read(event);
    return ready;
  }

  /** Reads an event at the end that lacks its blank line. */
  flush(): void {
    for (const event of this.reader.flush()) this.waiting.push(this.read(`${event}\n\n`));
  }

  /** The events that wait. @param charge of a complete answer */
  last(charge?: Charge): string {
    const at = this.usageEvent === null ? -1 : this.waiting.lastIndexOf(this.usageEvent);
    if (charge && this.reportsCost && at !== -1) this.waiting[at] = eventWithCost(this.usageEvent!, charge);
    return this.waiting.join('');
  }

  private read(event: SseEvent): string {
    const data = dataOf(event);
    const fields = fieldsIn(data);
    if (fields?.error || fields?.type === 'error') this.hasFailed = true;
    if (!this.mayEnd(data, fields)) return this.waiting.splice(0).join('') + event;
    let sent = event;
    if (fields?.usage) {
      // What the upstream charges the operator is not told.
      sent = eventWithCost(event, null);
      this.usageEvent = sent;
    }
    this.waiting.push(sent);
    return '';
  }

  private mayEnd(data: string, fields: Fields | null): boolean {
    if (data === DONE || this.hasFailed) return true;
    // A comment does not tell that the answer goes on.
    if (fields === null) return this.waiting.length > 0;
    return this.events.read(fields) || this.events.answer !== null;
  }
}

/** Null for a comment or what is no object. */
function fieldsIn(data: string): Fields | null {
  if (!data.startsWith('{')) return null;
  try {
    return JSON.parse(data) as Fields;
  } catch {
    return null;
  }
}
