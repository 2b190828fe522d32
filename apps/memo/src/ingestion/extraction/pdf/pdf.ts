import { dirname, join, sep } from 'node:path';
import { inflateSync } from 'node:zlib';
import type * as PdfJs from 'pdfjs-dist/legacy/build/pdf.mjs';
import { errorSentence, ExtractionError, isResourceExhaustion } from '../../../tables/extraction-error';
import { type ReadingOutput } from '../format-reader';
import { type Omissions } from '../../../tables/omission';
import { type TextWriter } from '../text/text-writer';
import { type Annotation, entryOf, isDrawn, noteOf } from './annotations';
import { itemsOf, withoutRepetitions } from './glyph-lines';
import { type FontFacts, GlyphReader } from './page-glyphs';
import { loadParser } from './parser';
import { PageLayout } from './page-layout';

/**
 * Largest decoded stream of a PDF. It is above the largest page contents; twice as much may exceed the memory of a
 * worker.
 */
const MAX_STREAM_BYTES = 128 * 1024 * 1024;
const MEBIBYTE = 1024 * 1024;

/**
 * Limits the decoded size of PDF streams. A few kilobytes may decode to gigabytes in typed arrays, which count toward
 * no heap limit, and pdf.js has no limit of its own. pdf.js inflates either itself, into an array that it grows by
 * doubling, or through DecompressionStream; both are replaced in this thread while a PDF is read. pdf.js ignores the
 * error for the stream that exceeds the limit, so callers use `check`.
 */
class DecompressionLimit {
  private isExceeded = false;
  private readonly original = {
    Uint8Array: globalThis.Uint8Array,
    DecompressionStream: globalThis.DecompressionStream,
  };
  private readonly limited = {
    Uint8Array: this.limitedArray(),
    DecompressionStream: this.limitedInflation(),
  };

  enter(): void {
    this.isExceeded = false;
    Object.assign(globalThis, this.limited);
  }

  leave(): void {
    Object.assign(globalThis, this.original);
  }

  /** Throws `too_complex` if a stream exceeded the limit since `enter`. */
  check(): void {
    if (!this.isExceeded) return;
    const maxMebibytes = MAX_STREAM_BYTES / MEBIBYTE;
    throw new ExtractionError(
      'too_complex',
      `A part of the PDF is larger than ${maxMebibytes} MiB once it is unpacked.`,
    );
  }

  private limitedArray(): typeof Uint8Array {
    const refuse = () => this.refuse();
    // The PDF is rejected anyway; this keeps pdf.js from inflating the stream itself.
    const maxBytes = () => (this.isExceeded ? MEBIBYTE : MAX_STREAM_BYTES);
    const limited: typeof Uint8Array = new Proxy(this.original.Uint8Array, {
      construct(target, values: unknown[], newTarget) {
        if (typeof values[0] === 'number' && values[0] > maxBytes()) refuse();
        return Reflect.construct(target, values, newTarget === limited ? target : newTarget) as Uint8Array;
      },
    });
    return limited;
  }

  private limitedInflation(): unknown {
    const inflate = (bytes: Uint8Array) => this.inflate(bytes);
    return class extends TransformStream<Uint8Array, Uint8Array> {
      constructor(format: string) {
        if (format !== 'deflate') throw new TypeError(`${format} is left to pdf.js`);
        super({ transform: (bytes, controller) => controller.enqueue(inflate(bytes)) });
      }
    };
  }

  /** Throws for damaged streams too. pdf.js then reads the readable part itself. */
  private inflate(bytes: Uint8Array): Uint8Array {
    try {
      return inflateSync(bytes, { maxOutputLength: MAX_STREAM_BYTES });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') this.refuse();
      throw error;
    }
  }

  private refuse(): never {
    this.isExceeded = true;
    throw new RangeError('A stream of the PDF is too large.');
  }
}

const PACKAGE = dirname(require.resolve('pdfjs-dist/package.json'));
/** More than any book has. Bounds the time spent on a hostile file. */
const MAX_PAGES = 10_000;
/** Pages between two releases of cached fonts and objects. */
const CLEAN_UP_EVERY_PAGES = 100;
const guard = new DecompressionLimit();

export async function readPdf(bytes: Uint8Array, output: ReadingOutput): Promise<void> {
  guard.enter();
  try {
    const pdfjs = await loadPdfJs();
    const task = open(pdfjs, bytes);
    try {
      await readDocument(pdfjs, await task.promise, output);
    } catch (error) {
      guard.check();
      throw asExtractionError(error as Error);
    } finally {
      await task.destroy();
    }
  } finally {
    guard.leave();
  }
}

async function readDocument(
  pdfjs: typeof PdfJs,
  pdf: PdfJs.PDFDocumentProxy,
  output: ReadingOutput,
): Promise<void> {
  const { writer, omissions, pageStarts, onProgress } = output;
  guard.check();
  if (pdf.numPages > MAX_PAGES)
    throw new ExtractionError('too_complex', `The PDF has more than ${MAX_PAGES} pages.`);
  const layers = await pdf.getOptionalContentConfig();
  const page = new PageWriter(pdfjs, layers, writer, omissions);
  let damaged = 0;
  for (let number = 1; number <= pdf.numPages; number++) {
    omissions.page = number;
    pageStarts.push(writer.length);
    try {
      await page.read(await pdf.getPage(number));
    } catch (error) {
      if (error instanceof ExtractionError) throw error;
      damaged += 1;
      omissions.add('unreadable_page');
    }
    guard.check();
    if (number % CLEAN_UP_EVERY_PAGES === 0) await pdf.cleanup();
    onProgress(number, pdf.numPages);
  }
  if (damaged === pdf.numPages) throw new ExtractionError('corrupt', 'No page of the PDF can be read.');
  omissions.page = 0;
  omissions.add('embedded_file', await attachmentsOf(pdf));
}

/** How many files are attached to the document itself. */
async function attachmentsOf(pdf: PdfJs.PDFDocumentProxy): Promise<number> {
  try {
    return Object.keys(((await pdf.getAttachments()) as object | null) ?? {}).length;
  } catch {
    return 0;
  }
}

/** Tells which layers of a document are shown (optional content, ISO 32000-1, 8.11). */
type Layers = Awaited<ReturnType<PdfJs.PDFDocumentProxy['getOptionalContentConfig']>>;

/** Writes the pages in order. A table may continue on the next page. */
class PageWriter {
  private isTable = false;

  constructor(
    private readonly pdfjs: typeof PdfJs,
    private readonly layers: Layers,
    private readonly writer: TextWriter,
    private readonly omissions: Omissions,
  ) {}

  async read(page: PdfJs.PDFPageProxy): Promise<void> {
    const { pdfjs, omissions, layers } = this;
    const annotations = (await page.getAnnotations({ intent: 'display' })) as Annotation[];
    const drawn = new Set(annotations.filter(isDrawn).map(({ id }) => id));
    const { ENABLE, DISABLE } = pdfjs.AnnotationMode;
    const operators = await page.getOperatorList({ annotationMode: drawn.size > 0 ? ENABLE : DISABLE });
    const fontNamed = (name: string): FontFacts | undefined =>
      page.commonObjs.has(name) ? (page.commonObjs.get(name) as FontFacts) : undefined;
    const isLayerShown = (group: unknown): boolean => Boolean(layers.isVisible(group));
    const reader = new GlyphReader({ view: page.view, fontNamed, drawn, isLayerShown }, pdfjs);
    reader.read(operators);
    const glyphs = withoutRepetitions(reader.glyphs);
    omissions.add('hidden_text', reader.hidden);
    omissions.add('repeated_text', reader.glyphs.length - glyphs.length);
    const notes = annotations.flatMap((annotation) => noteOf(annotation, omissions) ?? []);
    const layout = new PageLayout();
    for (const item of itemsOf(glyphs)) layout.add(item);
    for (const annotation of annotations) {
      const entry = entryOf(annotation, omissions);
      if (entry) layout.addEntry(entry);
    }
    this.writer.requireRoomFor(layout.length + notes.reduce((sum, note) => sum + note.length, 0));
    page.cleanup();
    if (layout.length === 0) omissions.add('page_without_text');
    for (const { text, isRow } of layout.paragraphs()) {
      if (isRow && this.isTable) this.writer.line();
      else this.writer.block();
      this.writer.flow(text);
      this.isTable = isRow;
    }
    this.writeNotes(notes);
  }

  /** Notes stand behind their page, as the comments of other formats behind their paragraph. Two at one place may be alike. */
  private writeNotes(notes: string[]): void {
    for (const note of new Set(notes)) {
      this.writer.block();
      this.writer.flow(`[${note}]`);
      this.isTable = false;
    }
  }
}

function open(pdfjs: typeof PdfJs, bytes: Uint8Array): PdfJs.PDFDocumentLoadingTask {
  return pdfjs.getDocument({
    data: bytes,
    cMapUrl: join(PACKAGE, 'cmaps') + sep, // predefined CMaps of CJK fonts, read from the disk
    cMapPacked: true,
    standardFontDataUrl: join(PACKAGE, 'standard_fonts') + sep,
    useSystemFonts: false,
    useWorkerFetch: false,
    useWasm: false,
    isEvalSupported: false,
    disableFontFace: true,
    enableXfa: false,
    isOffscreenCanvasSupported: false,
    isImageDecoderSupported: false,
    stopAtErrors: false,
    maxImageSize: 0,
    verbosity: 0,
  });
}

/**
 * pdf.js parses in this thread, which already is a worker. It asks for drawing classes when it is loaded and never
 * uses them; placeholders avoid warnings if the optional native canvas is missing.
 */
async function loadPdfJs(): Promise<typeof PdfJs> {
  const scope = globalThis as Record<string, unknown>;
  for (const name of ['DOMMatrix', 'ImageData', 'Path2D']) scope[name] ??= class {};
  scope.pdfjsWorker ??= await loadParser();
  return import('pdfjs-dist/legacy/build/pdf.mjs');
}

function asExtractionError(error: Error): Error {
  if (error instanceof ExtractionError || isResourceExhaustion(error)) return error;
  if (error.name === 'PasswordException')
    return new ExtractionError('encrypted', 'The PDF is protected by a password.');
  return new ExtractionError('corrupt', `The PDF is damaged: ${errorSentence(error)}`);
}
