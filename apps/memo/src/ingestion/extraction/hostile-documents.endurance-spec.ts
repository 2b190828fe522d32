import { randomFillSync } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { DOCX, type MediaType } from '../../tables/media-type';
import { builtThread, textOf } from '../extraction-thread/extraction-thread.fixture';
import { endlessDeflate, zip } from './package/zip-archive.fixture';
import { docx, docxOf, frame, HEAD, MAIN_PART, oleFile, paragraph, TAIL } from './docx/docx.fixture';
import {
  flateBomb,
  FONT_WITH_OWN_MAP,
  image,
  onePage,
  ownMap,
  pdfkit,
  pdfOf,
  shown,
  shownHex,
} from './pdf/pdf.fixture';
import { type FailureCode } from '../../tables/extraction-error';

type Content = () => string | Buffer | Promise<Buffer>;
type Refusal = [name: string, content: Content, code: FailureCode, message: RegExp];

const MEBIBYTE = 1024 * 1024;
const extractor = builtThread();
afterAll(() => extractor.close());

function refuses(mediaType: MediaType, cases: Refusal[]): void {
  it.each(cases)('%s', async (_name, content, code, message) => {
    const extraction = textOf(extractor, await content(), mediaType);
    await expect(extraction).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });
}

/** A main part that unpacks to that many mebibytes. */
const unpacksTo = (mebibytes: number, start: string, filling: string, end: string, size?: number): Buffer =>
  docxOf({
    deflated: endlessDeflate(HEAD + start, Buffer.alloc(MEBIBYTE, filling), mebibytes, end + TAIL),
    size: size ?? mebibytes * MEBIBYTE + HEAD.length + start.length + end.length + TAIL.length,
  });
const withDtd = (entities: string, body: string): Buffer =>
  docxOf({ data: `<?xml version="1.0"?><!DOCTYPE d [${entities}]><d>${body}</d>` });
const laughs = Array.from({ length: 20 }, (_, n) => `<!ENTITY a${n + 1} "${`&a${n};`.repeat(10)}">`).join('');

describe('plain text', () => {
  refuses('text/plain', [
    ['without a byte', () => '', 'empty', /empty/],
    ['of white space', () => ' \n\t\r\n\u3000 ', 'empty', /no text/],
    ['of punctuation', () => '... --- ...', 'empty', /no text/],
    ['that is no text', () => randomFillSync(Buffer.alloc(100_000)), 'unsupported', /not text/],
    ['that is a ZIP file', () => docx(paragraph('x')), 'unsupported', /ZIP/],
    ['in UTF-32', () => Buffer.from([0xff, 0xfe, 0, 0, 0x41, 0, 0, 0]), 'unsupported', /UTF-8/],
  ]);
});

it('a long text without spaces is told from Latin letters in little time', async () => {
  const text = Buffer.from('d6d0'.repeat(200_000), 'hex');
  expect(await textOf(extractor, text, 'text/plain')).toBe('中'.repeat(200_000));
});

it('a quoted escape sequence of Japanese does not make a text Japanese', async () => {
  expect(await textOf(extractor, 'The log shows \x1b$Bx\nand goes on in English.', 'text/plain')).toContain(
    'and goes on in English.',
  );
});

describe('HTML and Markdown', () => {
  refuses('text/html', [
    ['without text', () => '<html><img src=x><script>1</script>', 'empty', /no text/],
    ['too deep', () => '<ul><li>x<table><tr><td>y'.repeat(100_000), 'too_complex', /deeply/],
    ['with too many attributes', () => `x<p ${'a=1 '.repeat(20_000)}>y`, 'too_complex', /attributes/],
  ]);

  it('unclosed brackets, quotes and backticks are read', async () => {
    const backTicks = Array.from({ length: 1_000 }, (_, n) => '`'.repeat(n + 1)).join(' ');
    expect(await textOf(extractor, `${'['.repeat(100_000)}a`, 'text/markdown')).toMatch(/\[a$/);
    expect(await textOf(extractor, `${'>'.repeat(50)} x`, 'text/markdown')).toBe('x');
    expect(await textOf(extractor, backTicks, 'text/markdown')).toContain('` ``');
  });

  it('stacked marks are cut off before normalization', async () => {
    const text = await textOf(extractor, `<p>a${'\u0316\u0301'.repeat(500_000)}`, 'text/html');
    expect(text.length).toBeLessThan(100);
  });
});

describe('DOCX', () => {
  refuses(DOCX, [
    ['that is something else', () => 'hello', 'corrupt', /not a DOCX/],
    ['cut in half', () => docx(paragraph('word '.repeat(5_000))).subarray(0, 700), 'corrupt', /damaged/],
    ['that is another archive', () => zip([{ name: 'a.txt', data: 'x' }]), 'unsupported', /ZIP/],
    [
      'that is a spreadsheet',
      () => zip([...frame('xl/workbook.xml'), { name: 'xl/workbook.xml', data: '<x/>' }]),
      'unsupported',
      /not a DOCX/,
    ],
    ['without a main part', () => zip(frame()), 'corrupt', /main part/],
    ['without text', () => docx('<w:p/>'), 'empty', /no text/],
    ['with a password', () => oleFile('EncryptedPackage'), 'encrypted', /password/],
    ['of a program of old', () => oleFile('WordDocument'), 'unsupported', /docx/],
    ['whose archive has a password', () => docxOf({ data: HEAD + TAIL, flags: 1 }), 'encrypted', /password/],
    [
      'with a wrong checksum',
      () => docxOf({ data: HEAD + paragraph('x') + TAIL, crc: 1 }),
      'corrupt',
      /damaged/,
    ],
    [
      'with XML cut short',
      () => docxOf({ data: HEAD + paragraph('x') }),
      'corrupt',
      /not well-formed: .*unclosed tag/,
    ],
    [
      'with invalid UTF-8',
      () =>
        docxOf({
          data: Buffer.concat([
            Buffer.from(`${HEAD}<w:p>`),
            Buffer.from([0xff, 0x80]),
            Buffer.from(`</w:p>${TAIL}`),
          ]),
        }),
      'corrupt',
      /damaged/,
    ],
    ['of 10 GB, as it says', () => unpacksTo(10_240, '', ' ', ''), 'too_complex', /unpacked/],
    [
      'of 10 GB that says 1,000 bytes',
      () => unpacksTo(10_240, '', ' ', '', 1_000),
      'corrupt',
      /too many bytes/,
    ],
    [
      'with a text that does not end',
      () => unpacksTo(500, '<w:p><w:r><w:t>', 'a', '</w:t></w:r></w:p>'),
      'too_complex',
      /endless/,
    ],
    [
      'with an attribute that does not end',
      () => unpacksTo(500, '<w:p a="', 'a', '"/>'),
      'too_complex',
      /endless/,
    ],
    [
      'whose parts overlap',
      () =>
        docx(
          paragraph('x'),
          Array.from({ length: 9 }, (_, n) => ({ name: `word/${n}.xml`, at: 100 })),
        ),
      'corrupt',
      /overlap/,
    ],
    [
      'of 20,000 parts',
      () =>
        docx(
          paragraph('x'),
          Array.from({ length: 20_000 }, (_, n) => ({ name: String(n), at: 0 })),
        ),
      'too_complex',
      /parts/,
    ],
    [
      'that says a false number of parts',
      () => zip([...frame(), { name: MAIN_PART, data: HEAD + paragraph('x') + TAIL }], 9_000),
      'corrupt',
      /damaged/,
    ],
    [
      'with two main parts',
      () => docx(paragraph('x'), [{ name: 'WORD/document.xml', data: HEAD + paragraph('y') + TAIL }]),
      'corrupt',
      /one name/,
    ],
    [
      'with a part outside',
      () => docx(paragraph('x'), [{ name: '../../etc/passwd', data: 'x' }]),
      'corrupt',
      /path/,
    ],
    ['with a billion laughs', () => withDtd(`<!ENTITY a0 "lol">${laughs}`, '&a20;'), 'corrupt', /DTD/],
    [
      'with an external entity',
      () => withDtd('<!ENTITY x SYSTEM "file:///etc/passwd">', '&x;'),
      'corrupt',
      /DTD/,
    ],
    ['with tables too deep', () => docx('<w:tbl><w:tr><w:tc>'.repeat(10_000)), 'too_complex', /deeply/],
  ]);
});

describe('a part of another format in DOCX', () => {
  const including = (part: string): Buffer =>
    docx(
      `<w:altChunk xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:id="c"/>`,
      [
        {
          name: 'word/_rels/document.xml.rels',
          data: `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="c" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/aFChunk" Target="c.txt"/></Relationships>`,
        },
        { name: 'word/c.txt', data: part },
      ],
    );

  it.each(['Name: value\r\n', 'Name: value\r\n more\r\n', '<!-- a -->\r\n'])(
    'of many %j is told in little time',
    async (line) => {
      expect(await textOf(extractor, including(`${line.repeat(60)}The end.`), DOCX)).toMatch(/The end\.$/);
    },
  );
});

describe('PDF', () => {
  const withPassword = (pdfVersion: PDFKit.PDFDocumentOptions['pdfVersion']) => () =>
    pdfkit({ pdfVersion, userPassword: 'x', ownerPassword: 'y' }, (d) => d.text('Secret.'));
  const firstHalf = async () => {
    const whole = await pdfkit({}, (d) => d.text('Some text. '.repeat(2_000)));
    return whole.subarray(0, whole.length / 2);
  };
  const pagesInALoop = () =>
    pdfOf({
      1: '<< /Type /Catalog /Pages 2 0 R >>',
      2: '<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 1000 >>',
    });

  refuses('application/pdf', [
    ['with a password, RC4', withPassword('1.3'), 'encrypted', /password/],
    ['with a password, AES-256', withPassword('1.7ext3'), 'encrypted', /password/],
    ['that is something else', () => 'hello', 'corrupt', /not a PDF/],
    [
      'of random bytes',
      () => Buffer.concat([Buffer.from('%PDF-1.7\n'), randomFillSync(Buffer.alloc(MEBIBYTE))]),
      'corrupt',
      /damaged/,
    ],
    ['cut in half', firstHalf, 'corrupt', /damaged/],
    ['whose pages go round in a loop', pagesInALoop, 'corrupt', /No page/],
    [
      'of scanned pages',
      () =>
        onePage('q 600 0 0 800 0 0 cm /I Do Q', {
          resources: '/XObject << /I 6 0 R >>',
          more: { 6: image(1_000, 1_000) },
        }),
      'empty',
      /OCR/,
    ],
    [
      'with a page that unpacks to 4 GB',
      () => onePage(['/Filter /FlateDecode', flateBomb(4)]),
      'too_complex',
      /128 MiB/,
    ],
    [
      'with a page packed twice',
      () => onePage(['/Filter [/FlateDecode /FlateDecode]', deflateSync(flateBomb(2))]),
      'too_complex',
      /128 MiB/,
    ],
    [
      'with a map that unpacks to 2 GB',
      () =>
        onePage(shown('Text.'), {
          font: FONT_WITH_OWN_MAP,
          more: { 6: ['/Filter /FlateDecode', flateBomb(2)] },
        }),
      'too_complex',
      /128 MiB/,
    ],
  ]);

  it('a picture of gigabytes in the document is not unpacked', async () => {
    const more = { 6: image(60_000, 60_000, flateBomb(4)) };
    const pdf = onePage(`${shown('Text.')} /I Do`, { resources: '/XObject << /I 6 0 R >>', more });
    expect(await textOf(extractor, pdf, 'application/pdf')).toBe('Text.');
  });

  it('a form that includes itself ends', async () => {
    const form = '/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 6 0 R >> >>';
    const more: Record<number, [string, string]> = { 6: [form, '/X Do /X Do'] };
    const pdf = onePage(`${shown('Text.')} /X Do`, { resources: '/XObject << /X 6 0 R >>', more });
    expect(await textOf(extractor, pdf, 'application/pdf')).toBe('Text.');
  });

  it('NUL and half surrogate pairs do not get into the text', async () => {
    const more = {
      6: ownMap([
        ['01', '0000'],
        ['02', 'D800'],
      ]),
    };
    const pdf = onePage(shownHex(Buffer.from([65, 1, 2, 66])), { font: FONT_WITH_OWN_MAP, more });
    const text = await textOf(extractor, pdf, 'application/pdf');
    expect(text).toMatch(/^A/);
    expect(text).not.toContain('\0');
    expect(text.isWellFormed()).toBe(true);
  });
});
