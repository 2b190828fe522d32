import { type ReactNode, useMemo } from 'react';
import { markdownContent } from './markdown-content';
import classes from './markdown.module.css';

/** Text in Markdown. It becomes elements of React; HTML in it is shown as text. */
export function Markdown({ text }: { text: string }): ReactNode {
  const content = useMemo(() => markdownContent(text), [text]);
  return <div className={classes.text}>{content}</div>;
}
