/** The last event of an answer begins so, and no other line does. */
export const CITATIONS = 'Citations:';

/** A line's end, with the spaces in front of it. */
const LINE_END = /(?<![ \t])[ \t]*(?:\r\n?|\n)/g;
const VISIBLE = /\S/;
/** Its first letter goes into an event of its own. */
const LOOKALIKE = /^C(?=itations:)/m;

/**
 * Cuts an answer into the data of events. What they hold is the answer's text, whatever reads it: no event ends in white
 * space and no line in spaces, which a shell's `read` would drop; and no line begins like that of the citations, whoever
 * wrote it.
 */
export class EventText {
  private space = '';

  /** The data of the events that are due. */
  feed(text: string): string[] {
    // Not looked through again with each piece of a long one.
    if (!VISIBLE.test(text)) {
      this.space += text;
      return [];
    }
    // A CR at the end of one piece and a LF at the beginning of the next one are one line break.
    const whole = this.space + text;
    const shown = whole.trimEnd();
    this.space = whole.slice(shown.length);
    const ready = shown.replace(LINE_END, '\n');
    return apart(ready);
  }

  /** Forgets the white space that would stand before what comes next. */
  drop(): void {
    this.space = '';
  }
}

function apart(text: string): string[] {
  const events: string[] = [];
  let rest = text;
  for (let found = LOOKALIKE.exec(rest); found; found = LOOKALIKE.exec(rest)) {
    events.push(rest.slice(0, found.index + 1));
    rest = rest.slice(found.index + 1);
  }
  events.push(rest);
  return events;
}
