import { VisuallyHidden } from '@mantine/core';
import { type CSSProperties } from 'react';
import classes from './middle-cut.module.css';

/** Width of the end that stays in sight, in letters: what tells long names apart is often there. */
const END_LETTERS = 10;
/** A text that is not wider, in letters, fits everywhere. */
const SHORT_LETTERS = 20;
/** Characters that are as wide as two letters. */
const WIDE =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE4F\uFF00-\uFF60\uFFE0-\uFFE6]|\p{Extended_Pictographic}/u;

const lettersOf = (chars: string[]) => chars.reduce((sum, char) => sum + (WIDE.test(char) ? 2 : 1), 0);

interface Props {
  text: string;
  /** The most room that it takes beside other columns, such as `12rem`. */
  width?: string;
  /** What a pointer over it shows if that is more than the text. */
  whole?: string;
}

/** A name on one line. What does not fit is cut out of its middle; a pointer over it shows the whole, and screen readers say it. */
export function MiddleCut({ text, width, whole = text }: Props) {
  const chars = [...text];
  if (lettersOf(chars) <= SHORT_LETTERS) return text;
  let cut = chars.length;
  while (lettersOf(chars.slice(cut - 1)) <= END_LETTERS) cut -= 1;
  const [start, end] = [chars.slice(0, cut).join(''), chars.slice(cut).join('')];
  return (
    <span
      className={classes.text}
      title={whole}
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
