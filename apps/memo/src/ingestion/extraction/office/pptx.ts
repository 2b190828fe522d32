import { PPTX } from '../../../tables/media-type';
import { type ReadingOutput } from '../format-reader';
import { readDamaged } from '../package/damage';
import { Package } from '../package/package';
import { DrawingText } from './drawing-text';

/** Parts that a slide shows, in the order in which they are written behind its shapes. */
const SHOWN_PARTS = ['chart', 'chartEx', 'diagramData', 'notesSlide', 'comments'];

/** Reads the slides of a presentation in their order, each with its notes, then once what repeats on them. Slides count as pages. */
export function readPptx(bytes: Uint8Array, output: ReadingOutput): Promise<void> {
  return readDamaged(async () => {
    const office = await Package.open(bytes, PPTX);
    const slides = await slidesOf(office);
    const { writer, omissions, pageStarts, onProgress } = output;
    const shared: Shared = { margins: new Set(), masters: new Set() };
    for (const [index, part] of slides.entries()) {
      omissions.page = index + 1;
      pageStarts.push(writer.length);
      if (office.has(part)) await readSlide(office, part, output, shared);
      else omissions.add('missing_part');
      onProgress(index + 1, slides.length);
    }
    omissions.page = 0;
    for (const part of shared.masters)
      await office.readXml(part, new DrawingText(writer, omissions, shared.margins, true));
    for (const text of shared.margins) {
      writer.block();
      writer.verbatim(text);
    }
  });
}

/** The parts of the slides, in the order of the show. */
async function slidesOf(office: Package): Promise<string[]> {
  const relations = new Map(
    (await office.relationsOf(office.mainPart)).map(({ id, target }) => [id, target]),
  );
  const slides: string[] = [];
  await office.readXml(office.mainPart, {
    open: (name, attributes) => {
      const target = name === 'sldId' ? relations.get(attributes['r:id'] ?? '') : undefined;
      if (target !== undefined) slides.push(target);
    },
    close: () => undefined,
  });
  return slides;
}

/** What several slides show: the texts of their headers and footers, and the parts of their layouts and masters. */
interface Shared {
  margins: Set<string>;
  masters: Set<string>;
}

async function readSlide(
  office: Package,
  slide: string,
  { writer, omissions }: ReadingOutput,
  { margins, masters }: Shared,
): Promise<void> {
  const inside = async (part: string) =>
    (await office.relationsOf(part)).filter(({ isExternal, target }) => !isExternal && office.has(target));
  const relations = await inside(slide);
  const further = SHOWN_PARTS.flatMap((shown) => relations.filter(({ type }) => type === shown));
  for (const part of [slide, ...further.map(({ target }) => target)]) {
    writer.block();
    await office.readXml(part, new DrawingText(writer, omissions, margins));
  }
  writer.block();
  for (const { target: layout } of relations.filter(({ type }) => type === 'slideLayout')) {
    if (masters.has(layout)) continue;
    masters.add(layout);
    for (const { type, target } of await inside(layout)) if (type === 'slideMaster') masters.add(target);
  }
}
