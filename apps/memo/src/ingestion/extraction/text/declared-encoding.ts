import { encodingLabelled } from './decoders';

/** What a declaration names if the Encoding Standard reads nothing in it. */
export const REPLACEMENT = 'replacement';
const REPLACED = new Set([
  'replacement',
  'hz-gb-2312',
  'iso-2022-kr',
  'csiso2022kr',
  'iso-2022-cn',
  'iso-2022-cn-ext',
]);
/** How much of a file is searched. HTML specifies 1,024 bytes; pages with a long comment declare it later. */
const SEARCHED_BYTES = 16 * 1024;
const TEXT_BYTES = 4 * 1024;

const XML = /^\s*<\?xml[^>]{0,200}?\sencoding\s*=\s*["']\s*([\w:.-]{1,40})\s*["']/;
const TAG = /<!--|<\/?[a-z]|<[!/?]/gi;
const COMMENT_END = /--!?>/g;
const NAME_END = /[\s/>]/g;
const ATTRIBUTE = /[\s/]*(?:([^\s=/>][^\s=/>]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]*)))?|(>)|$)/y;
const CHARSET_IN_CONTENT = /charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;"']+))/i;
/** Text in these is no markup. */
const RAW_TEXT = /^(?:script|style|title|textarea|xmp|noscript)$/;

/**
 * The encoding that an HTML file declares (HTML 13.2.3.2: comments and other tags are skipped), REPLACEMENT, or undefined.
 */
export function declaredEncoding(bytes: Uint8Array): string | undefined {
  const length = Math.min(SEARCHED_BYTES, bytes.length);
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, length).toString('latin1');
  const label = labelInMeta(start) ?? XML.exec(start)?.[1];
  return label === undefined ? undefined : encodingFor(label);
}

/** What a file of another format says in its first lines: XML, CSS, the comments of editors and of Python (PEP 263), LaTeX. */
const LABELS_IN_TEXT = [
  XML,
  /^@charset "([^"\n]{1,40})";/,
  /^(?:[^\n]*\n)?[^\n]{0,200}?\bcoding[:=][ \t]*([\w.-]{1,40})/,
  /^(?:[^\n]*\n)?[^\n]{0,200}?\bvim?:.*?\b(?:fileencoding|fenc)=([\w.-]{1,40})/,
  /^[^%\n]*\\usepackage\[([\w-]{1,40})\]\{inputenc\}/m,
];
/** Names that editors and LaTeX give to encodings. */
const OTHER_NAMES = new Map([
  ['ansinew', 'windows-1252'],
  ['applemac', 'macintosh'],
  ['latin9', 'iso-8859-15'],
  ['latin-1', 'iso-8859-1'],
  ['latin-9', 'iso-8859-15'],
  ['euc-jis', 'euc-jp'],
  ['euc_kr', 'euc-kr'],
  ['iso-latin-1', 'iso-8859-1'],
]);

/** The encoding that a text file declares, or undefined. */
export function declaredInText(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, TEXT_BYTES)).toString(
    'latin1',
  );
  for (const pattern of LABELS_IN_TEXT) {
    const label = pattern
      .exec(start)?.[1]
      ?.toLowerCase()
      .replace(/-(?:unix|dos|mac)$/, '');
    if (label === undefined) continue;
    const encoding = encodingFor(OTHER_NAMES.get(label) ?? label);
    // The bytes are known not to be UTF-8.
    if (encoding !== undefined && encoding !== REPLACEMENT && encoding !== 'utf-8') return encoding;
  }
  return undefined;
}

function labelInMeta(html: string): string | undefined {
  let at = 0;
  for (;;) {
    TAG.lastIndex = at;
    const tag = TAG.exec(html);
    if (!tag) return undefined;
    if (tag[0] === '<!--') {
      // `<!-->` is a whole comment.
      COMMENT_END.lastIndex = tag.index + 2;
      at = COMMENT_END.test(html) ? COMMENT_END.lastIndex : html.length;
    } else if (/[a-z]$/i.test(tag[0])) {
      const { name, attributes, end } = readTag(html, tag.index);
      const label = name === 'meta' ? labelOf(attributes) : undefined;
      if (label !== undefined && (encodingFor(label) ?? '') !== '') return label;
      at = RAW_TEXT.test(name) ? afterElement(html, name, end) : end;
    } else at = html.indexOf('>', tag.index) + 1 || html.length;
  }
}

function readTag(html: string, start: number) {
  const nameStart = start + (html[start + 1] === '/' ? 2 : 1);
  NAME_END.lastIndex = nameStart;
  const nameEnd = NAME_END.exec(html)?.index ?? html.length;
  const name = html.slice(nameStart, nameEnd).toLowerCase();
  const attributes = new Map<string, string>();
  let at = nameEnd;
  for (;;) {
    ATTRIBUTE.lastIndex = at;
    const found = ATTRIBUTE.exec(html);
    at = ATTRIBUTE.lastIndex;
    if (!found?.[1]) return { name, attributes, end: Math.max(at, nameEnd) };
    const key = found[1].toLowerCase();
    if (!attributes.has(key)) attributes.set(key, found[2] ?? found[3] ?? found[4] ?? '');
  }
}

function labelOf(attributes: Map<string, string>): string | undefined {
  const charset = attributes.get('charset');
  if (charset !== undefined) return charset;
  if (attributes.get('http-equiv')?.toLowerCase() !== 'content-type') return undefined;
  const [, double, single, bare] = CHARSET_IN_CONTENT.exec(attributes.get('content') ?? '') ?? [];
  return double ?? single ?? bare;
}

function afterElement(html: string, name: string, from: number): number {
  const end = html.toLowerCase().indexOf(`</${name}`, from);
  return end < 0 ? html.length : end + name.length + 2;
}

/** The name of the encoding in lower case, REPLACEMENT, or undefined for a label that no standard knows. */
function encodingFor(label: string): string | undefined {
  const name = label.trim().toLowerCase();
  if (REPLACED.has(name)) return REPLACEMENT;
  if (name === 'x-user-defined') return 'windows-1252';
  try {
    const encoding = encodingLabelled(name);
    // A declaration that is readable as ASCII cannot be in UTF-16. The HTML standard treats it as UTF-8.
    return encoding.startsWith('utf-16') ? 'utf-8' : encoding;
  } catch {
    return undefined;
  }
}
