import { VisuallyHidden } from '@mantine/core';
import { type CSSProperties } from 'react';
import classes from './middle-cut.module.css';

/** Characters at the end that stay in sight: what tells long names apart is often there. */
const END_CHARS = 10;
/** A shorter text fits everywhere. */
const SHORT_CHARS = 20;

interface Props {
  text: string;
  /** The most room that it takes beside other columns, such as `12rem`. */
  width?: string;
}

/** A name on one line. What does not fit is cut out of its middle; a pointer over it shows the whole, and screen readers say it. */
export function MiddleCut({ text, width }: Props) {
  const chars = [...text];
  if (chars.length <= SHORT_CHARS) return text;
  const [start, end] = [chars.slice(0, -END_CHARS).join(''), chars.slice(-END_CHARS).join('')];
  return (
    <span
      className={classes.text}
      title={text}
      data-capped={width !== undefined || undefined}
      style={width ? ({ '--most': width } as CSSProperties) : undefined}
    >
      <span aria-hidden className={classes.start}>
        {start}
      </span>
      <span aria-hidden className={classes.end}>
        {end}
      </span>
      <VisuallyHidden component="span">{text}</VisuallyHidden>
    </span>
  );
}
