import { type SseEvent } from './sse-event-reader';

const START = 'data: {';
const END = '}\n\n';
const FINISH = '"finish_reason"';
const UNFINISHED = '"finish_reason":null';
const USAGE = '"usage"';
const NULL_USAGE = ',"usage":null';

/** An event that only adds to answers, as almost all events of a stream do. */
export interface PlainDelta {
  /** Number of answers that it may add to. */
  choices: number;
  withoutUsage: SseEvent;
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
