import { createParser } from 'eventsource-parser';

export interface SentEvent {
  /** `message` for an event without a name. */
  event: string;
  data: string;
}

/** The complete events of a stream. */
export function parseEvents(text: string): SentEvent[] {
  const events: SentEvent[] = [];
  const parser = createParser({
    onEvent: ({ event = 'message', data }) => void events.push({ event, data }),
  });
  parser.feed(text);
  return events;
}
