import { dataOf, type SseEvent } from '@inference/sse';
import { type NativeEvent, type NativeReader, type StreamError } from '../native-call';
import { finishReasonOf, type Produced } from '../usage/produced';
import { laterUsage, readReportedUsage, type ReportedUsage } from '../usage/reported-usage';
import { type EventMeter } from './stream-meter';

const COST = '"cost';

/** Observes the events of a stream that is passed on in the protocol of its client. Only a price of the upstream is removed from them. */
export class NativeMeter implements EventMeter {
  usage: ReportedUsage | null = null;
  isUsageFinal = false;
  usageEvent: SseEvent | null = null;
  /** The events at the end wait for the price anyway. */
  readonly isUsageAlone = false;
  failed = false;
  finishReason: string | null = null;
  saidDone = false;
  isAtEnd = false;
  readonly goesOn = false;
  /** For an error that follows. */
  readonly last: Pick<StreamError, 'head' | 'sequenceNumber'> = { head: undefined, sequenceNumber: 0 };
  private deltas = 0;
  private readonly texts: string[] = [];

  constructor(private readonly reader: NativeReader) {}

  get isComplete(): boolean {
    return this.saidDone;
  }

  get hasFirstToken(): boolean {
    return this.hasProduced;
  }

  get hasProduced(): boolean {
    return this.deltas > 0;
  }

  get produced(): Produced {
    return { text: this.texts.join(''), audioTokens: 0 };
  }

  hasMoreDeltasThan(limit: number): boolean {
    return this.deltas > limit;
  }

  read(event: SseEvent): SseEvent {
    const data = parsed(dataOf(event));
    if (!data) return event;
    const { report, text, isLast, failed, finishReason, head, sequenceNumber }: NativeEvent =
      this.reader.eventOf(data);
    if (head) this.last.head = head;
    if (typeof sequenceNumber === 'number') this.last.sequenceNumber = sequenceNumber + 1;
    if (text) {
      this.texts.push(text);
      this.deltas++;
      this.isUsageFinal = false;
    }
    if (failed) this.failed = true;
    if (finishReason !== undefined && finishReason !== null) {
      this.finishReason = finishReasonOf({ finish_reason: finishReason });
      this.isAtEnd = true;
    }
    if (isLast) this.isAtEnd = this.saidDone = true;
    const usage = report && readReportedUsage(report);
    if (!usage) return event;
    this.usage = laterUsage(this.usage, usage);
    this.isUsageFinal = true;
    return (this.usageEvent = event.includes(COST) ? this.reader.withCost(event, null) : event);
  }
}

function parsed(data: string): object | undefined {
  if (!data.trimStart().startsWith('{')) return undefined;
  try {
    return JSON.parse(data) as object;
  } catch {
    return undefined;
  }
}
