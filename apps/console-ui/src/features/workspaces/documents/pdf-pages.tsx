import { ActionIcon, Alert, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { getDocument, GlobalWorkerOptions, type PDFDocumentProxy, type PDFPageProxy } from 'pdfjs-dist';
import PdfWorker from 'pdfjs-dist/build/pdf.worker.min.mjs?worker';
import { useEffect, useRef, useState } from 'react';
import { useWorkspaceTexts } from '../workspace-texts';
import { findOnPage, type FoundOnPage, type Mark, pagesFrom } from './pdf-passage';
import classes from './pdf-pages.module.css';

/** Character maps of fonts that a PDF refers to by name, as Chinese ones often do. */
const CHARACTER_MAPS = import.meta.glob<string>('../../../../../../node_modules/pdfjs-dist/cmaps/*.bcmap', {
  query: '?url',
  import: 'default',
  eager: true,
});

/** Gives pdf.js its own files from this site. */
class PackagedFiles {
  async fetch({ filename }: { kind: string; filename: string }): Promise<Uint8Array> {
    const [, url] = Object.entries(CHARACTER_MAPS).find(([path]) => path.endsWith(`/${filename}`)) ?? [];
    if (url === undefined) throw new Error(`${filename} is not part of this site`);
    return new Uint8Array(await (await fetch(url)).arrayBuffer());
  }
}

const openPdf = (file: ArrayBuffer) => {
  GlobalWorkerOptions.workerPort ??= new PdfWorker();
  return getDocument({
    // The worker takes the buffer away; the query keeps its own.
    data: new Uint8Array(file.slice(0)),
    BinaryDataFactory: PackagedFiles,
    cMapUrl: 'cmaps/',
    cMapPacked: true,
    useWorkerFetch: false,
    useSystemFonts: true,
    // The policy of the pages allows neither.
    useWasm: false,
    isEvalSupported: false,
    enableXfa: false,
    verbosity: 0,
  });
};

/** On a page with so much of the passage the search ends. */
const ENOUGH = 0.9;
/** Pages that are searched at most; about a second. A passage is near the place that its offset in the text tells. */
const MOST_SEARCHED = 200;

interface Found extends FoundOnPage {
  page: number;
}

const textsOf = async (page: PDFPageProxy) =>
  (await page.getTextContent()).items.flatMap((item) => ('str' in item ? [item] : []));

async function findPassage(
  pdf: PDFDocumentProxy,
  passage: string,
  likely: number,
  isWanted: () => boolean,
): Promise<Found | undefined> {
  let best: Found | undefined;
  for (const number of pagesFrom(likely, pdf.numPages).slice(0, MOST_SEARCHED)) {
    if (!isWanted()) return undefined;
    const items = await textsOf(await pdf.getPage(number));
    const found = findOnPage(
      items.map(({ str }) => str),
      passage,
    );
    if (found.share > (best?.share ?? 0)) best = { page: number, ...found };
    if (found.share >= ENOUGH) break;
  }
  return best;
}

interface Props {
  file: ArrayBuffer;
  /** What is marked; absent: nothing is. */
  passage: string | undefined;
  /** Where in the text the passage is, from 0 to 1. */
  place: number;
}

/** The worker refuses a file while it closes another one. */
let closing: Promise<void> = Promise.resolve();

/** The pages of a PDF, beginning with the one that has the passage. */
export default function PdfPages({ file, passage, place }: Props) {
  const t = useWorkspaceTexts();
  const [pdf, setPdf] = useState<PDFDocumentProxy>();
  const [hasFailed, setHasFailed] = useState(false);
  /** Null: it is on no page. */
  const [found, setFound] = useState<Found | null>();
  const [number, setNumber] = useState(1);
  useEffect(() => {
    let isOpen = true;
    let task: ReturnType<typeof openPdf> | undefined;
    const open = async () => {
      await closing;
      if (!isOpen) return;
      task = openPdf(file);
      const opened = await task.promise;
      const likely = Math.max(1, Math.ceil(place * opened.numPages));
      const at = passage === undefined ? null : await findPassage(opened, passage, likely, () => isOpen);
      if (!isOpen) return;
      setPdf(opened);
      setFound(at ?? null);
      setNumber(at?.page ?? (passage === undefined ? 1 : likely));
    };
    open().catch(() => isOpen && setHasFailed(true));
    return () => {
      isOpen = false;
      closing = closing.then(() => task?.destroy());
    };
  }, [file, passage, place]);
  if (hasFailed) return <Alert color="yellow">{t('page.failed')}</Alert>;
  if (!pdf)
    return (
      <Stack gap="xs" aria-busy>
        <Text size="sm" c="dimmed">
          {passage !== undefined && t('page.searching')}
        </Text>
        <Skeleton height={420} />
      </Stack>
    );
  return (
    <Stack gap="xs">
      <Group gap="xs" justify="center">
        <ActionIcon
          variant="default"
          aria-label={t('page.previous')}
          disabled={number === 1}
          onClick={() => setNumber(number - 1)}
        >
          <ChevronLeft size={16} />
        </ActionIcon>
        <Text size="sm" className="figure">
          {t('page', { page: number, pages: pdf.numPages })}
        </Text>
        <ActionIcon
          variant="default"
          aria-label={t('page.next')}
          disabled={number === pdf.numPages}
          onClick={() => setNumber(number + 1)}
        >
          <ChevronRight size={16} />
        </ActionIcon>
        {found && found.page !== number && (
          <Button size="compact-sm" variant="subtle" onClick={() => setNumber(found.page)}>
            {t('page.toPassage')}
          </Button>
        )}
      </Group>
      {found === null && passage !== undefined && (
        <Text size="sm" c="dimmed">
          {t('page.notFound')}
        </Text>
      )}
      <PdfPage
        key={number}
        pdf={pdf}
        number={number}
        marks={found?.page === number ? found.marks : NO_MARKS}
      />
    </Stack>
  );
}

const NO_MARKS: Mark[] = [];

/** Where a mark is on the page, in percent of its size. */
interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Pixels of the canvas for one of the page. Screens with more show no difference, and the canvas grows with the square. */
const MOST_PIXEL_RATIO = 2;

function PdfPage({ pdf, number, marks }: { pdf: PDFDocumentProxy; number: number; marks: Mark[] }) {
  const t = useWorkspaceTexts();
  const canvas = useRef<HTMLCanvasElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const [boxes, setBoxes] = useState<Box[]>([]);
  const [isDrawn, setIsDrawn] = useState(false);
  useEffect(() => {
    let isShown = true;
    let stop = () => {};
    const draw = async () => {
      const page = await pdf.getPage(number);
      if (!isShown || !canvas.current || !frame.current) return;
      const width = frame.current.clientWidth * Math.min(window.devicePixelRatio, MOST_PIXEL_RATIO);
      const scale = width / page.getViewport({ scale: 1 }).width;
      const viewport = page.getViewport({ scale });
      canvas.current.width = Math.floor(viewport.width);
      canvas.current.height = Math.floor(viewport.height);
      const drawing = page.render({ canvas: canvas.current, viewport });
      stop = () => drawing.cancel();
      const marked = marks.length > 0 ? await boxesOf(page, marks) : [];
      if (isShown) setBoxes(marked);
      await drawing.promise;
      if (isShown) setIsDrawn(true);
    };
    // A drawing that is cancelled ends with an error.
    draw().catch(() => undefined);
    return () => {
      isShown = false;
      stop();
    };
  }, [pdf, number, marks]);
  return (
    <div
      className={classes.frame}
      tabIndex={0}
      role="group"
      aria-label={t('page.label')}
      aria-busy={!isDrawn}
    >
      {/* The places of the marks are shares of the whole page, also of what is out of sight. */}
      <div ref={frame} className={classes.page}>
        <canvas
          ref={canvas}
          className={classes.canvas}
          role="img"
          aria-label={t('page', { page: number, pages: pdf.numPages })}
        />
        {boxes.map(({ left, top, width, height }, index) => (
          <div
            key={index}
            className={classes.mark}
            data-passage
            ref={index === 0 ? (element) => element?.scrollIntoView({ block: 'center' }) : undefined}
            style={{ left: `${left}%`, top: `${top}%`, width: `${width}%`, height: `${height}%` }}
          />
        ))}
      </div>
    </div>
  );
}

/** The letters of a line go a little below the line on which they stand. */
const BELOW_LINE = 0.2;

async function boxesOf(page: PDFPageProxy, marks: Mark[]): Promise<Box[]> {
  const items = await textsOf(page);
  const viewport = page.getViewport({ scale: 1 });
  return marks.flatMap(({ item, from, to }) => {
    const text = items[item];
    if (!text) return [];
    const [, , , , x = 0, y = 0] = text.transform as number[];
    const [left, right] = [x + text.width * from, x + text.width * to];
    const [bottom, top] = [y - text.height * BELOW_LINE, y + text.height];
    const corners = viewport.convertToViewportRectangle([left, bottom, right, top]) as number[];
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = corners;
    return [
      {
        left: (Math.min(x1, x2) / viewport.width) * 100,
        top: (Math.min(y1, y2) / viewport.height) * 100,
        width: (Math.abs(x2 - x1) / viewport.width) * 100,
        height: (Math.abs(y2 - y1) / viewport.height) * 100,
      },
    ];
  });
}
