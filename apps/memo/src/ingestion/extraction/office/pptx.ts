import { PPTX } from '../../../tables/media-type';
import { type ReadingOutput } from '../format-reader';
import { readDamaged } from '../package/damage';
import { Package } from '../package/package';
import { DrawingText } from './drawing-text';

/** Parts that a slide shows, in the order in which they are written behind its shapes. */
const SHOWN_PARTS = ['chart', 'diagramData', 'notesSlide', 'comments'];

/** Reads the slides of a presentation in their order, each with its notes. Slides count as pages. */
export function readPptx(bytes: Uint8Array, output: ReadingOutput): Promise<void> {
  return readDamaged(async () => {
    const office = await Package.open(bytes, PPTX);
    const slides = await slidesOf(office);
    const { writer, omissions, pageStarts, onProgress } = output;
    for (const [index, part] of slides.entries()) {
      omissions.page = index + 1;
      pageStarts.push(writer.length);
      if (office.has(part)) await readSlide(office, part, output);
      else omissions.add('missing_part');
      onProgress(index + 1, slides.length);
    }
    omissions.page = 0;
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

async function readSlide(
  office: Package,
  slide: string,
  { writer, omissions }: ReadingOutput,
): Promise<void> {
  const relations = (await office.relationsOf(slide)).filter(({ isExternal }) => !isExternal);
  const further = SHOWN_PARTS.flatMap((shown) => relations.filter(({ type }) => type === shown));
  for (const part of [slide, ...further.map(({ target }) => target)]) {
    writer.block();
    if (office.has(part)) await office.readXml(part, new DrawingText(writer, omissions));
  }
  writer.block();
}
