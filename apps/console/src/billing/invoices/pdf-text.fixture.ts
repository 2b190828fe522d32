import { inflateSync } from 'node:zlib';

/** Glyphs of one drawing operation; in points from the lower left corner of the page. */
export interface DrawnText {
  page: number;
  text: string;
  x: number;
  /** Height of the baseline. */
  y: number;
  width: number;
  size: number;
}

interface Font {
  characters: Map<number, string>;
  widths: number[];
}

/** pdfkit writes the characters of a ligature separated by spaces. */
const utf16 = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex').swap16().toString('utf16le');

/** Reads the positioned texts of a PDF made by pdfkit, through its ToUnicode tables. */
export function readPdf(pdf: Buffer): DrawnText[] {
  const objects = objectsOf(pdf.toString('latin1'));
  const pages = [...objects.values()].filter((object) => /\/Type \/Page\b/.test(object));
  return pages.flatMap((page, index) => {
    const content = streamOf(objects.get(/\/Contents (\d+) 0 R/.exec(page)![1]!)!);
    const fonts = fontsOf(objects, page);
    return [
      ...content.matchAll(/1 0 0 1 ([\d.-]+) ([\d.-]+) Tm\n\/(F\d+) ([\d.]+) Tf\n\[([^\]]*)\] TJ/g),
    ].map(([, x, y, name, size, glyphs]) => {
      const font = fonts.get(name!)!;
      const codes = [...glyphs!.matchAll(/<([0-9a-f]*)>/g)].flatMap(([, hex]) =>
        (hex!.match(/.{4}/g) ?? []).map((code) => Number.parseInt(code, 16)),
      );
      const width = codes.reduce((sum, code) => sum + font.widths[code]!, 0);
      return {
        page: index + 1,
        text: codes.map((code) => font.characters.get(code)).join(''),
        x: Number(x),
        y: Number(y),
        width: (width * Number(size)) / 1000,
        size: Number(size),
      };
    });
  });
}

function objectsOf(file: string): Map<string, string> {
  return new Map(
    [...file.matchAll(/(?:^|\n)(\d+) 0 obj\n([\s\S]*?)\nendobj/g)].map(([, id, body]) => [id!, body!]),
  );
}

function streamOf(object: string): string {
  const [, content = ''] = /stream\n([\s\S]*)\nendstream/.exec(object) ?? [];
  const bytes = Buffer.from(content, 'latin1');
  return (/FlateDecode/.test(object) ? inflateSync(bytes) : bytes).toString('latin1');
}

function fontsOf(objects: Map<string, string>, page: string): Map<string, Font> {
  const resources = objects.get(/\/Resources (\d+) 0 R/.exec(page)![1]!)!;
  return new Map(
    [...resources.matchAll(/\/(F\d+) (\d+) 0 R/g)].map(([, name, id]) => {
      const font = objects.get(id!)!;
      const descendant = objects.get(/\/DescendantFonts \[(\d+) 0 R\]/.exec(font)![1]!)!;
      const widths = /\/W \[0 \[([\d. ]+)\]\]/.exec(descendant)![1]!.split(' ').map(Number);
      return [
        name!,
        { widths, characters: charactersOf(streamOf(objects.get(/\/ToUnicode (\d+)/.exec(font)![1]!)!)) },
      ];
    }),
  );
}

function charactersOf(map: string): Map<number, string> {
  return new Map(
    [...map.matchAll(/<([0-9a-f]{4})> <[0-9a-f]{4}> \[([^\]]*)\]/g)].flatMap(([, first, list]) =>
      [...list!.matchAll(/<([0-9a-f ]+)>/g)].map(
        ([, hex], index) => [Number.parseInt(first!, 16) + index, utf16(hex!)] as const,
      ),
    ),
  );
}
