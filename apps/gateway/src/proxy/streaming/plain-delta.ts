import { bytesOf, type SseEvent } from '@inference/sse';

const START = 'data: {';
const END = '}\n\n';
const FINISH = '"finish_reason"';
const UNFINISHED = '"finish_reason":null';
const USAGE = '"usage"';
const NULL_USAGE = ',"usage":null';
const CONTENT = '"content":"';
/** Events are some hundred characters long. A stream keeps a frame, so it learns none from a long event. */
const MAX_FRAME_CHARS = 4_096;

/** An event that only adds to answers, as almost all events of a stream do. */
export interface PlainDelta {
  /** Number of answers that it may add to. */
  choices: number;
  withoutUsage: SseEvent;
}

/** What stands around the text of a plain delta. */
interface Frame {
  before: string;
  /** Begins with the quote behind the text. */
  after: string;
}

/** Recognises the plain deltas of one stream, most of which differ from the one before only in their text. */
export class PlainDeltaReader {
  private frame: Frame | null = null;
  private choices = 0;
  /** Null if there is no usage to remove. */
  private frameWithoutUsage: Frame | null = null;

  /**
   * Returns what `readPlainDelta` returns for an event of valid JSON, but also accepts texts that contain `\u` or are just `error`,
   * `usage` or `finish_reason`. The names that it searches for include their quotes, so another text without quotes adds none.
   */
  read(event: SseEvent): PlainDelta | null {
    const { frame, choices, frameWithoutUsage } = this;
    if (!frame || !hasFrame(event, frame)) return this.learn(event);
    if (!frameWithoutUsage) return { choices, withoutUsage: event };
    const text = event.slice(frame.before.length, event.length - frame.after.length);
    return { choices, withoutUsage: frameWithoutUsage.before + text + frameWithoutUsage.after };
  }

  private learn(event: SseEvent): PlainDelta | null {
    const delta = readPlainDelta(event);
    const frame = delta && frameOf(event);
    if (frame) {
      this.frame = frame;
      this.choices = delta.choices;
      this.frameWithoutUsage = delta.withoutUsage === event ? null : frameOf(delta.withoutUsage);
    }
    return delta;
  }
}

/** Null if the event has no `"content":"…"`, or is long. */
function frameOf(event: SseEvent): Frame | null {
  const at = event.indexOf(CONTENT);
  if (at === -1 || event.length > MAX_FRAME_CHARS) return null;
  const start = at + CONTENT.length;
  const end = event.indexOf('"', start);
  return end === -1 ? null : { before: copyOf(event.slice(0, start)), after: copyOf(event.slice(end)) };
}

/** V8 keeps the whole chunk that a slice was cut from. */
const copyOf = (part: SseEvent): SseEvent => bytesOf(part).toString('latin1');

/** Whether an event is one line that differs from the frame only in a text without quotes. */
function hasFrame(event: SseEvent, { before, after }: Frame): boolean {
  const start = before.length;
  const end = event.length - after.length;
  return (
    event.indexOf('"', start) === end &&
    event.indexOf('\n', start) === event.length - 2 &&
    // Node 20 takes half the time of `startsWith` and `endsWith`.
    event.slice(0, start) === before &&
    event.slice(end) === after
  );
}

/**
 * Recognises such an event without parsing it; null if it may be anything else. Inside a JSON string quotes are escaped, so what is
 * searched for with its quotes is never part of an answer. `"usage":null` is removed wherever it stands, also from a choice.
 */
export function readPlainDelta(event: SseEvent): PlainDelta | null {
  const isOneLine =
    event.startsWith(START) && event.endsWith(END) && event.indexOf('\n') === event.length - 2;
  // A name could be written with escapes.
  if (!isOneLine || event.includes('"error"') || event.includes('\\u')) return null;
  const choices = unfinishedChoices(event);
  if (choices === 0) return null;
  const usageAt = event.indexOf(USAGE);
  if (usageAt === -1) return { choices, withoutUsage: event };
  const fieldAt = usageAt - 1;
  const isNull = event.startsWith(NULL_USAGE, fieldAt) && !event.includes(USAGE, usageAt + 1);
  if (!isNull) return null;
  return { choices, withoutUsage: event.slice(0, fieldAt) + event.slice(fieldAt + NULL_USAGE.length) };
}

/** The number of answers that say that they go on; 0 if one of them says anything else. */
function unfinishedChoices(event: SseEvent): number {
  let count = 0;
  for (let at = event.indexOf(FINISH); at !== -1; at = event.indexOf(FINISH, at + FINISH.length)) {
    if (!event.startsWith(UNFINISHED, at)) return 0;
    count++;
  }
  return count;
}
