import { Text } from '@mantine/core';
import { memo, type ReactNode, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
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
        <BlockNodes key={index} block={block} words={words} />
      ))}
    </div>
  );
}

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

/** A formula as MathML, which browsers draw and read aloud; as it was written, if it is no right TeX. */
function Formula({ tex, isBlock }: { tex: string; isBlock: boolean }) {
  const temml = useLoaded(loadTemml);
  const place = useRef<HTMLSpanElement>(null);
  const [isDrawn, setDrawn] = useState(false);
  useEffect(() => {
    if (!temml || !place.current) return;
    try {
      temml.default.render(tex, place.current, { displayMode: isBlock, throwOnError: true });
      setDrawn(true);
    } catch {
      place.current.replaceChildren();
      setDrawn(false);
    }
  }, [temml, tex, isBlock]);
  return (
    <span className={isBlock ? classes.formula : undefined}>
      <span ref={place} />
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
