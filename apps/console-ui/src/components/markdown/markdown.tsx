import { Text } from '@mantine/core';
import {
  createContext,
  memo,
  type ReactNode,
  useContext,
  useDeferredValue,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import remend from 'remend';
import { useComponentTexts } from '../component-texts';
import { CopyButton } from '../copy-button';
import { type Block, markdownBlocks, type Parts } from './markdown-content';
import classes from './markdown.module.css';

interface Props {
  text: string;
  /** The text is still being written: emphasis, links and fences that are open at its end count as closed, so that nothing jumps. */
  streaming?: boolean;
  /** Shows words of the text in another way, such as the markers of citations. Keep it the same while its result is. */
  words?: (text: string) => ReactNode;
}

/** Text in Markdown. It becomes elements of React; HTML in it is shown as text. */
export function Markdown({ text, streaming = false, words }: Props): ReactNode {
  const blocks = useMemo(
    () => markdownBlocks(streaming ? closed(text) : text, words ? { ...PARTS, words } : PARTS),
    [text, streaming, words],
  );
  return (
    <div className={classes.text}>
      {blocks.map((block, index) => (
        <Growing key={index} value={streaming && index === blocks.length - 1}>
          <BlockNodes block={block} words={words} />
        </Growing>
      ))}
    </div>
  );
}

/** Whether a block is still being written. */
const Growing = createContext(false);

/** Of an answer that grows only the last block changes. */
const BlockNodes = memo(
  ({ block }: { block: Block; words: Props['words'] }) => block.nodes(),
  (before, after) => before.block.identity === after.block.identity && before.words === after.words,
);

const closed = (text: string): string =>
  remend(text, { linkMode: 'text-only', images: false, htmlTags: false });

const PARTS: Parts = {
  code: (code, language) => <CodeBlock code={code} language={language} />,
  formula: (tex, isBlock) => <Formula tex={tex} isBlock={isBlock} />,
};

function CodeBlock({ code, language }: { code: string; language: string }) {
  const t = useComponentTexts();
  return (
    <div className={classes.code}>
      <div className={classes.bar}>
        <Text size="xs" c="dimmed">
          {language}
        </Text>
        <CopyButton value={code} label={t('code.copy')} />
      </div>
      <pre tabIndex={0}>
        <code>{language ? <Highlighted code={code} language={language} /> : code}</code>
      </pre>
    </div>
  );
}

function Highlighted({ code, language }: { code: string; language: string }): ReactNode {
  const highlight = useLoaded(loadHighlight);
  // A long block that is being written is coloured when there is time.
  const settled = useDeferredValue(code);
  const coloured = useMemo(
    () => highlight?.highlighted(settled, language.toLowerCase()),
    [highlight, settled, language],
  );
  return code.startsWith(settled) ? [coloured ?? settled, code.slice(settled.length)] : code;
}

/**
 * A formula as MathML, which browsers draw and read aloud; as it was written, if it is no right TeX. While it is being written, that part of
 * it stays drawn that was right TeX last: it would change between the two at each letter.
 */
function Formula({ tex, isBlock }: { tex: string; isBlock: boolean }) {
  const temml = useLoaded(loadTemml);
  const isGrowing = useContext(Growing);
  const place = useRef<HTMLSpanElement>(null);
  const [drawn, setDrawn] = useState<string>();
  // Before the browser paints, or it would show the formula and its TeX together.
  useLayoutEffect(() => {
    if (!temml || !place.current) return;
    const drawing = document.createElement('span');
    try {
      temml.default.render(tex, drawing, { displayMode: isBlock, throwOnError: true });
    } catch {
      return;
    }
    place.current.replaceChildren(...drawing.childNodes);
    setDrawn(tex);
  }, [temml, tex, isBlock]);
  const isDrawn = drawn === tex || (isGrowing && drawn !== undefined && tex.startsWith(drawn));
  return (
    <span className={isBlock ? classes.formula : undefined}>
      <span ref={place} hidden={!isDrawn} />
      {!isDrawn && <code>{tex}</code>}
    </span>
  );
}

const loadHighlight = () => import('./highlight');
const loadTemml = () => import('temml');

/** A module that the text can be shown without: undefined until it is there, and when it cannot be loaded. */
function useLoaded<Module>(load: () => Promise<Module>): Module | undefined {
  const [loaded, setLoaded] = useState<Module>();
  useEffect(() => {
    let isShown = true;
    load().then(
      (module) => isShown && setLoaded(module),
      () => undefined,
    );
    return () => {
      isShown = false;
    };
  }, [load]);
  return loaded;
}
