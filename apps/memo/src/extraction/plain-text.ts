import { type OnProgress } from './extraction';
import { decode, encodingOf } from './decoding';
import { type TextSink } from './text-sink';

// PostgreSQL refuses U+0000; no reader shows the others.
// eslint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u0008\u000b-\u001f]+/g;
const LINE_ENDS = /\r\n?/g;

/** Hands the text on as it was sent, but for control characters and the ends of lines, which become newlines. */
export function readPlainText(bytes: Uint8Array, sink: TextSink, onProgress: OnProgress): void {
  // At the very end of a part it may have its newline in the next one.
  let carriageReturn = '';
  for (const { text, processed } of decode(bytes, encodingOf(bytes, false))) {
    const whole = carriageReturn + text;
    carriageReturn = processed < bytes.length && whole.endsWith('\r') ? '\r' : '';
    sink.put(verbatim(whole.slice(0, whole.length - carriageReturn.length)));
    onProgress(processed, bytes.length);
  }
}

function verbatim(text: string): string {
  return text.replace(LINE_ENDS, '\n').replace(CONTROLS, '').toWellFormed();
}
