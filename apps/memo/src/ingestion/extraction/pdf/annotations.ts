import { type Omissions } from '../../../tables/omission';

/** What pdf.js tells about an annotation. */
export interface Annotation {
  id: string;
  subtype: string;
  checkBox?: boolean;
  radioButton?: boolean;
  annotationFlags: number;
  rect: number[];
  fieldType?: string;
  fieldValue?: unknown;
  password?: boolean;
  options?: { exportValue: string | null; displayValue: string | null }[];
  contentsObj?: { str: string };
  textContent?: string[];
}

/** Text that a form field or an annotation shows, with the position of its box on the page. */
export interface PageEntry {
  lines: string[];
  left: number;
  bottom: number;
  top: number;
}

/** Flags of ISO 32000-1, table 165: Invisible applies to unknown kinds only. */
const HIDDEN = 1 << 1;
const NO_VIEW = 1 << 5;
/** Kinds whose contents a viewer shows only when it is asked. */
const NOTES = new Set(['Text', 'Highlight', 'Underline', 'Squiggly', 'StrikeOut', 'Caret', 'FileAttachment']);
/** Kinds that a viewer draws as the file says, such as the words of a stamp. */
const DRAWN = new Set([
  'Stamp',
  'Watermark',
  'Line',
  'Square',
  'Circle',
  'Polygon',
  'PolyLine',
  'Ink',
  'Redact',
]);
const LINE_ENDS = /\r\n?|\n/;

/** Whether what an annotation shows is known only from its drawing: stamps, signatures and buttons. */
export const isDrawn = ({ subtype, fieldType, checkBox, radioButton }: Annotation): boolean =>
  subtype === 'Widget'
    ? fieldType === 'Sig' || (fieldType === 'Btn' && !checkBox && !radioButton)
    : DRAWN.has(subtype);

/** The text that an annotation shows on its page, or undefined. What a viewer hides is counted. */
export function entryOf(annotation: Annotation, omissions: Omissions): PageEntry | undefined {
  const text = textOf(annotation, omissions)?.trim();
  if (!text) return undefined;
  const { annotationFlags, rect, password } = annotation;
  if ((annotationFlags & (HIDDEN | NO_VIEW)) !== 0 || password) {
    omissions.add('hidden_field');
    return undefined;
  }
  const [left = 0, one = 0, , other = 0] = rect;
  return { lines: text.split(LINE_ENDS), left, bottom: Math.min(one, other), top: Math.max(one, other) };
}

/** The text of a note that somebody has put on a page, or undefined. A hidden one is counted. */
export function noteOf(
  { subtype, contentsObj, annotationFlags }: Annotation,
  omissions: Omissions,
): string | undefined {
  const text = NOTES.has(subtype) ? contentsObj?.str.trim() : undefined;
  if (!text) return undefined;
  if ((annotationFlags & (HIDDEN | NO_VIEW)) === 0) return text;
  omissions.add('note');
  return undefined;
}

function textOf(annotation: Annotation, omissions: Omissions): string | undefined {
  const { subtype, fieldType, contentsObj, textContent } = annotation;
  if (subtype === 'Widget') return fieldType === 'Tx' || fieldType === 'Ch' ? valueOf(annotation) : undefined;
  if (subtype === 'FreeText') return contentsObj?.str || textContent?.join('\n');
  if (subtype === 'FileAttachment') omissions.add('embedded_file');
  return undefined;
}

function valueOf({ fieldValue, options = [] }: Annotation): string {
  const values = [fieldValue].flat().filter((value) => typeof value === 'string');
  return values
    .map((value) => options.find(({ exportValue }) => exportValue === value)?.displayValue ?? value)
    .join(', ');
}
