import { ValidateBy } from 'class-validator';

/** Characters that XML 1.0 does not allow, not even escaped (production `Char`). */
const FORBIDDEN = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;
const ALL_FORBIDDEN = new RegExp(FORBIDDEN, 'gu');
/** A carriage return is escaped, because parsers turn a bare one into a line feed. */
const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\r': '&#13;',
};

/** True if XML can represent every character of the text. */
export const isXmlText = (text: string): boolean => !FORBIDDEN.test(text);

/**
 * Escapes text for the content of an element, or for an attribute value without line breaks and tabs. Characters that XML
 * does not allow become U+FFFD.
 */
export function escapeXml(text: string): string {
  return text.replace(ALL_FORBIDDEN, '\uFFFD').replace(/[&<>"'\r]/g, (character) => ESCAPES[character]!);
}

/** Property decorator: refuses texts with characters that XML cannot represent. */
export const XmlText = (): PropertyDecorator =>
  ValidateBy({
    name: 'isXmlText',
    validator: {
      validate: (value: unknown) => typeof value === 'string' && isXmlText(value),
      defaultMessage: () => 'must not contain control characters other than tabs and line breaks',
    },
  });
