import { zip, type ZipEntry } from '../package/zip-archive.fixture';

const OOXML = 'http://schemas.openxmlformats.org';
const DOCUMENT = `${OOXML}/officeDocument/2006`;
const CONTENT_TYPES: ZipEntry = {
  name: '[Content_Types].xml',
  data: `<?xml version="1.0"?><Types xmlns="${OOXML}/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>`,
};

/** The relations of a part: pairs of type and target. Their ids are `r0`, `r1` and so on. */
export function relations(of: string, list: [type: string, target: string][]): ZipEntry {
  const slash = of.lastIndexOf('/') + 1;
  const items = list.map(
    ([type, target], n) =>
      `<Relationship Id="r${n}" Type="${DOCUMENT}/relationships/${type}" Target="${target}"/>`,
  );
  return {
    name: `${of.slice(0, slash)}_rels/${of.slice(slash)}.rels`,
    data: `<?xml version="1.0"?><Relationships xmlns="${OOXML}/package/2006/relationships">${items.join('')}</Relationships>`,
  };
}

const SHEET = `${OOXML}/spreadsheetml/2006/main`;
export const sheetPart = (name: string, root: string, inner: string): ZipEntry => ({
  name: `xl/${name}`,
  data: `<?xml version="1.0" encoding="UTF-8"?><${root} xmlns="${SHEET}" xmlns:r="${DOCUMENT}/relationships" xmlns:a="${OOXML}/drawingml/2006/main">${inner}</${root}>`,
});

export interface SheetOptions {
  strings?: string;
  styles?: string;
  /** Inner XML of the workbook before its sheets. */
  workbook?: string;
  more?: ZipEntry[];
}

/** A workbook. Each sheet is the attributes of its tab and the inner XML of its `sheetData`. */
export function xlsx(
  sheets: [attributes: string, rows: string][],
  { strings = '', styles = '', workbook = '', more = [] }: SheetOptions = {},
): Buffer {
  const tabs = sheets.map(([attributes], n) => `<sheet ${attributes} sheetId="${n + 1}" r:id="r${n + 2}"/>`);
  return zip([
    CONTENT_TYPES,
    relations('', [['officeDocument', 'xl/workbook.xml']]),
    sheetPart('workbook.xml', 'workbook', `${workbook}<sheets>${tabs.join('')}</sheets>`),
    relations('xl/workbook.xml', [
      ['sharedStrings', 'sharedStrings.xml'],
      ['styles', 'styles.xml'],
      ...sheets.map((_, n): [string, string] => ['worksheet', `worksheets/sheet${n}.xml`]),
    ]),
    sheetPart('sharedStrings.xml', 'sst', strings),
    sheetPart('styles.xml', 'styleSheet', styles),
    ...sheets.map(([, rows], n) =>
      sheetPart(`worksheets/sheet${n}.xml`, 'worksheet', `<sheetData>${rows}</sheetData>`),
    ),
    ...more,
  ]);
}

/** A row of cells whose texts are in the cells. */
export const row = (...cells: string[]): string =>
  `<row>${cells.map((text) => `<c t="inlineStr"><is><t>${text}</t></is></c>`).join('')}</row>`;

const SLIDES = `${OOXML}/presentationml/2006/main`;
export const slidePart = (name: string, inner: string): ZipEntry => ({
  name: `ppt/${name}`,
  data: `<?xml version="1.0"?><p:sld xmlns:p="${SLIDES}" xmlns:a="${OOXML}/drawingml/2006/main" xmlns:r="${DOCUMENT}/relationships"><p:cSld><p:spTree>${inner}</p:spTree></p:cSld></p:sld>`,
});

export const shape = (text: string, placeholder = ''): string =>
  `<p:sp><p:nvSpPr><p:nvPr>${placeholder && `<p:ph type="${placeholder}"/>`}</p:nvPr></p:nvSpPr><p:txBody>${text
    .split('\n')
    .map((line) => `<a:p><a:r><a:t>${line}</a:t></a:r></a:p>`)
    .join('')}</p:txBody></p:sp>`;

/** A presentation, whose slides are shown in the given order. */
export function pptx(slides: string[], more: ZipEntry[] = []): Buffer {
  // The parts are numbered against the order of the show.
  const partOf = (n: number) => `slides/slide${slides.length - n}.xml`;
  const ids = slides.map((_, n) => `<p:sldId id="${256 + n}" r:id="r${n}"/>`);
  return zip([
    CONTENT_TYPES,
    relations('', [['officeDocument', 'ppt/presentation.xml']]),
    {
      name: 'ppt/presentation.xml',
      data: `<p:presentation xmlns:p="${SLIDES}" xmlns:r="${DOCUMENT}/relationships"><p:sldIdLst>${ids.join('')}</p:sldIdLst></p:presentation>`,
    },
    relations(
      'ppt/presentation.xml',
      slides.map((_, n): [string, string] => ['slide', partOf(n)]),
    ),
    ...slides.map((inner, n) => slidePart(partOf(n), inner)),
    ...more,
  ]);
}

const OASIS = 'urn:oasis:names:tc:opendocument:xmlns';
const NAMESPACES = ['office', 'text', 'table', 'style', 'draw', 'manifest']
  .map((name) => `xmlns:${name}="${OASIS}:${name}:1.0"`)
  .join(' ');

/** A text of OpenDocument: the inner XML of its body, of its styles, of common styles, and of the pages' headers and footers. */
export const odt = (
  body: string,
  { styles = '', common = '', margins = '', more = [] as ZipEntry[] } = {},
): Buffer =>
  zip([
    { name: 'mimetype', data: 'application/vnd.oasis.opendocument.text' },
    {
      name: 'content.xml',
      data: `<office:document-content ${NAMESPACES} xmlns:dc="http://purl.org/dc/elements/1.1/"><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:text>${body}</office:text></office:body></office:document-content>`,
    },
    {
      name: 'styles.xml',
      data: `<office:document-styles ${NAMESPACES}><office:styles>${common}</office:styles><office:master-styles><style:master-page>${margins}</style:master-page></office:master-styles></office:document-styles>`,
    },
    ...more,
  ]);

/** A book: the chapters by their file names, and the order of the spine. */
export function epub(chapters: Record<string, string>, spine: string[], more: ZipEntry[] = []): Buffer {
  const names = Object.keys(chapters);
  const items = names.map(
    (name) =>
      `<item id="${name}" href="text/${name}" media-type="${name.endsWith('.svg') ? 'image/svg+xml' : 'application/xhtml+xml'}"/>`,
  );
  return zip([
    { name: 'mimetype', data: 'application/epub+zip' },
    {
      name: 'META-INF/container.xml',
      data: '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
    },
    {
      name: 'OEBPS/book.opf',
      data: `<package xmlns="http://www.idpf.org/2007/opf"><manifest>${items.join('')}</manifest><spine>${spine.map((name) => `<itemref idref="${name}"/>`).join('')}</spine></package>`,
    },
    ...names.map((name): ZipEntry => ({ name: `OEBPS/text/${name}`, data: chapters[name]! })),
    ...more,
  ]);
}
