/** What an XML 1.0 document cannot hold, not even escaped: see its production `Char`. */
const UNHOLDABLE = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;
const ALL_UNHOLDABLE = new RegExp(UNHOLDABLE, 'gu');
/** A parser would make a line feed of a bare carriage return. */
const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\r': '&#13;',
};

/** Whether XML can hold every character of the text, so that a reader gets back the same text. */
export const fitsXml = (text: string): boolean => !UNHOLDABLE.test(text);

/** A text as the content of an element, or between quotes as the value of an attribute that has no line breaks or tabs. */
export function escapeXml(text: string): string {
  return text.replace(ALL_UNHOLDABLE, '\uFFFD').replace(/[&<>"'\r]/g, (character) => ESCAPES[character]!);
}
