import iconv from 'iconv-lite';
import { type MediaType, MSG } from '../../../tables/media-type';
import { builtThread, KeptChunks, textOf } from '../../extraction-thread/extraction-thread.fixture';
import { inCodePage, msg } from './msg.fixture';

type Case = [name: string, content: string | Buffer, text: string];

const extractor = builtThread();
afterAll(() => extractor.close());

const reads = (mediaType: MediaType, cases: Case[]): void =>
  it.each(cases)('%s', async (_name, content, text) => {
    expect(await textOf(extractor, content, mediaType)).toBe(`Subject: x\n\n${text}`);
  });

const RUSSIAN = 'Библиотека закрыта в понедельник, приходите во вторник.';
const JAPANESE = '図書館は月曜日に休館します。火曜日にお越しください。';

const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/.{76}/g, '$&\r\n');
const quoted = (bytes: Buffer): string =>
  [...bytes].map((byte) => `=${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('=\r\n');
/** A mail of one part of HTML. */
const mail = (body: Buffer, encoding: 'base64' | 'quoted-printable' | '8bit', type = 'text/html'): Buffer =>
  Buffer.concat([
    Buffer.from(
      `Subject: x\r\nMIME-Version: 1.0\r\nContent-Type: ${type}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n`,
    ),
    encoding === '8bit' ? body : Buffer.from(encoding === 'base64' ? base64(body) : quoted(body)),
  ]);
const declaring = (label: string, text: string, encoding = label): Buffer =>
  Buffer.concat([
    Buffer.from(`<html><head><meta charset="${label}"></head><p>`),
    iconv.encode(text, encoding),
  ]);
const HTTP_EQUIV = (label: string): string =>
  `<meta http-equiv="Content-Type" content="text/html; charset=${label}">`;

describe('HTML of a mail that names no encoding', () => {
  reads('message/rfc822', [
    ['declared by a meta element, in base64', mail(declaring('windows-1251', RUSSIAN), 'base64'), RUSSIAN],
    ['declared by a meta element, quoted', mail(declaring('koi8-r', RUSSIAN), 'quoted-printable'), RUSSIAN],
    ['declared by a meta element, in bytes', mail(declaring('shift_jis', JAPANESE), '8bit'), JAPANESE],
    [
      'declared as a header of HTTP',
      mail(
        Buffer.concat([
          Buffer.from(HTTP_EQUIV('iso-8859-2')),
          iconv.encode('<p>Zażółć gęślą jaźń', 'iso-8859-2'),
        ]),
        'base64',
      ),
      'Zażółć gęślą jaźń',
    ],
    [
      'in UTF-16 by its byte order mark',
      mail(Buffer.from(`\ufeff<p>${RUSSIAN}`, 'utf16le'), 'base64'),
      RUSSIAN,
    ],
    [
      'in UTF-8 by its byte order mark, against a meta element',
      mail(Buffer.from(`\ufeff${HTTP_EQUIV('windows-1252')}<p>${RUSSIAN}`), 'base64'),
      RUSSIAN,
    ],
    ['in ISO-2022-JP', mail(declaring('iso-2022-jp', 'ABC', 'utf-8'), '8bit'), 'ABC'],
    [
      'in UTF-8, declared in a comment as another',
      mail(Buffer.from(`<!-- ${HTTP_EQUIV('koi8-r')} --><p>${RUSSIAN}`), 'base64'),
      RUSSIAN,
    ],
    [
      'undeclared, of a plausible encoding',
      mail(iconv.encode(`<p>${RUSSIAN}`, 'windows-1251'), 'base64'),
      RUSSIAN,
    ],
    [
      'named by the part, against a meta element',
      mail(
        Buffer.concat([Buffer.from(HTTP_EQUIV('windows-1252')), iconv.encode(`<p>${RUSSIAN}`, 'koi8-r')]),
        'base64',
        'text/html; charset=koi8-r',
      ),
      RUSSIAN,
    ],
    [
      'named as a code page of DOS',
      mail(Buffer.from('<p>caf\x82', 'latin1'), 'base64', 'text/html; charset=cp850'),
      'café',
    ],
    ['named as UTF-7', mail(Buffer.from('<p>caf+AOk-'), '8bit', 'text/html; charset=utf-7'), 'café'],
    [
      'named by the part as unknown',
      mail(declaring('windows-1251', RUSSIAN), 'base64', 'text/html; charset=unknown-8bit'),
      RUSSIAN,
    ],
    [
      'named by the part as ASCII, which it is not',
      mail(declaring('windows-1251', RUSSIAN), 'base64', 'text/html; charset=us-ascii'),
      RUSSIAN,
    ],
    ['undeclared plain text', mail(iconv.encode(RUSSIAN, 'windows-1251'), 'base64', 'text/plain'), RUSSIAN],
  ]);
  reads(MSG, [
    ['declared by a meta element', msg({ '0037': 'x', '1013': declaring('windows-1251', RUSSIAN) }), RUSSIAN],
    [
      'in the code page of the mail',
      msg({ '0037': 'x', '1013': iconv.encode('<p>Да.', 'windows-1251') }, inCodePage(1251)),
      'Да.',
    ],
    [
      'in a code page of ISO 8859',
      msg({ '0037': 'x', '1013': iconv.encode('<p>Żółć', 'iso-8859-2') }, inCodePage(28592)),
      'Żółć',
    ],
    ['undeclared', msg({ '0037': 'x', '1013': iconv.encode(`<p>${RUSSIAN}`, 'windows-1251') }), RUSSIAN],
  ]);

  it('reads a head whose bytes are in the encoding of the text', async () => {
    const head =
      'Subject: Отпуск\r\nFrom: Иван <i@example.com>\r\nContent-Type: text/html; charset=windows-1251\r\n\r\n';
    const content = iconv.encode(`${head}<p>Да.`, 'windows-1251');
    expect(await textOf(extractor, content, 'message/rfc822')).toBe(
      'Subject: Отпуск\nFrom: "Иван" <i@example.com>\n\nДа.',
    );
  });

  const unclear = (type: string): Buffer =>
    mail(Buffer.from('\xa9 2020 ACME\xae', 'latin1'), '8bit', `text/${type}; charset=us-ascii`);
  const clear = (type: string, text: string): Buffer => mail(Buffer.from(text), 'base64', `text/${type}`);
  const multipart = (kind: string, ...parts: Buffer[]): Buffer =>
    Buffer.concat([
      Buffer.from(`Subject: x\r\nMIME-Version: 1.0\r\nContent-Type: multipart/${kind}; boundary=b\r\n`),
      ...parts.flatMap((part) => [Buffer.from('\r\n--b\r\n'), part]),
      Buffer.from('\r\n--b--\r\n'),
    ]);
  it.each([
    ['beside a page', 1, multipart('mixed', clear('html', `<p>${RUSSIAN}`), unclear('plain'))],
    ['beside plain text', 1, multipart('mixed', unclear('html'), clear('plain', RUSSIAN))],
    ['instead of a page', 0, multipart('alternative', unclear('plain'), clear('html', `<p>${RUSSIAN}`))],
    ['instead of plain text', 0, multipart('alternative', clear('plain', RUSSIAN), unclear('html'))],
  ])('leaves out a text that may be in several encodings, %s', async (_name, count, content) => {
    const kept = new KeptChunks();
    const source = { title: 'x', bytes: new Uint8Array(content), mediaType: 'message/rfc822' as const };
    const { omissions } = await extractor.extract(source, kept, new AbortController().signal);
    expect(kept.text).toBe(`Subject: x\n\n${RUSSIAN}`);
    expect(omissions).toEqual(count ? [{ kind: 'unreadable_part', count, pages: [] }] : []);
  });

  it.each([
    ['page and its plain form', multipart('alternative', unclear('plain'), unclear('html'))],
    ['page and plain text', multipart('mixed', unclear('html'), unclear('plain'))],
    ['two plain texts', multipart('mixed', unclear('plain'), unclear('plain'))],
  ])('refuses a mail whose texts may all be in several encodings: %s', async (_name, content) => {
    await expect(textOf(extractor, content, 'message/rfc822')).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('The encoding of the mail'),
    });
  });

  it('refuses a short text that may be in several encodings', async () => {
    const bytes = iconv.encode('<p>Příliš žluťoučký kůň', 'windows-1250');
    await expect(textOf(extractor, mail(bytes, 'base64'), 'message/rfc822')).rejects.toMatchObject({
      code: 'unsupported',
    });
  });
});
