import { type OnProgress } from './text/progress';
import { decodeText, detectEncoding } from './text/character-encoding';
import { type TextSink } from './text/text-sink';

// PostgreSQL refuses U+0000; no reader shows the others.
// eslint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u0008\u000b-\u001f]+/g;
const LINE_ENDS = /\r\n?/g;

/** Passes the text on unchanged, except for control characters, which are removed, and line ends, which become LF. */
export function readPlainText(bytes: Uint8Array, sink: TextSink, onProgress: OnProgress): void {
  // A CR at the end of a part may belong to an LF at the start of the next part.
  let carriageReturn = '';
  for (const { text, processed } of decodeText(bytes, detectEncoding(bytes, false))) {
    const whole = carriageReturn + text;
    carriageReturn = processed < bytes.length && whole.endsWith('\r') ? '\r' : '';
    sink.put(verbatim(whole.slice(0, whole.length - carriageReturn.length)));
    onProgress(processed, bytes.length);
  }
}

function verbatim(text: string): string {
  return text.replace(LINE_ENDS, '\n').replace(CONTROLS, '').toWellFormed();
}
