/** Start of the last event of an answer. No other line starts with it. */
export const CITATIONS_PREFIX = 'Citations:';

/** A line end, with the spaces and tabs before it. */
const LINE_END = /(?<![ \t])[ \t]*(?:\r\n?|\n)/g;
const VISIBLE = /\S/;
/** A line that starts like the citations line. Its first letter is sent in an event of its own. */
const LOOKALIKE = /^C(?=itations:)/m;

/**
 * Splits an answer into the data of server-sent events. No event ends with white space and no line ends with spaces,
 * because clients such as a shell's `read` drop them. No line starts like the citations line, whatever the model or a
 * document contains.
 */
export class EventSplitter {
  private pendingSpace = '';

  /** Returns the data of the events that can be sent. */
  push(text: string): string[] {
    // Not joined with the pending space, so that a long run of white space is not searched repeatedly.
    if (!VISIBLE.test(text)) {
      this.pendingSpace += text;
      return [];
    }
    // A CR at the end of one piece and an LF at the start of the next one are one line end.
    const whole = this.pendingSpace + text;
    const shown = whole.trimEnd();
    this.pendingSpace = whole.slice(shown.length);
    const ready = shown.replace(LINE_END, '\n');
    return splitLookalikes(ready);
  }

  /** Discards the white space that would precede the next output. */
  discardPendingSpace(): void {
    this.pendingSpace = '';
  }
}

function splitLookalikes(text: string): string[] {
  const events: string[] = [];
  let rest = text;
  for (let found = LOOKALIKE.exec(rest); found; found = LOOKALIKE.exec(rest)) {
    events.push(rest.slice(0, found.index + 1));
    rest = rest.slice(found.index + 1);
  }
  events.push(rest);
  return events;
}
