import { Text } from '@mantine/core';
import { type ClipboardEvent, type ReactNode } from 'react';
import { useLanguage } from '../language/language';
import { type Figure } from './figure';
import {
  type Currency,
  decimalsOf,
  formatAmount,
  formatBytes,
  formatExactBytes,
  formatNumber,
  percentChange,
} from './format-figure';

export interface AmountProps {
  value: Figure;
  /** Of the row that the amount is in, never that of the page. */
  currency: Currency;
}

/**
 * An amount of money or a price with all its digits. Copying a selection of it copies the plain number.
 *
 * @param alignedDecimals the width of its decimals in digits
 */
export function Amount({ value, currency, alignedDecimals }: AmountProps & { alignedDecimals?: number }) {
  const { language } = useLanguage();
  const text = formatAmount(value, currency, language);
  const point = text.lastIndexOf('.') + 1;
  return (
    <Text component="data" inherit value={value.toString()} className="figure" onCopy={copyExactly(value)}>
      {alignedDecimals === undefined ? (
        text
      ) : (
        <>
          {text.slice(0, point)}
          <span className="fraction" style={{ minWidth: `${alignedDecimals}ch` }}>
            {text.slice(point)}
          </span>
        </>
      )}
    </Text>
  );
}

/** Shows the amounts of a column, and their sum, below each other by their points. */
export function alignedAmounts(values: Iterable<Figure>): (value: Figure, currency: Currency) => ReactNode {
  const alignedDecimals = decimalsOf(values);
  return (value, currency) => <Amount {...{ value, currency, alignedDecimals }} />;
}

export const copyExactly = (value: Figure) => (event: ClipboardEvent) => {
  event.clipboardData.setData('text/plain', value.toString());
  event.preventDefault();
};

/** The size of a file. Its title is the exact number of bytes. */
export function Bytes({ value }: { value: Figure }) {
  const { language } = useLanguage();
  return (
    <Text
      component="data"
      inherit
      value={value.toString()}
      title={formatExactBytes(value, language)}
      className="figure"
    >
      {formatBytes(value, language)}
    </Text>
  );
}

/** The change of a figure in percent: `+12.5%`, and `≈ +33.33%` if it is rounded. */
export function PercentText({ before, after }: { before: Figure | undefined; after: Figure | undefined }) {
  const { language } = useLanguage();
  const change = percentChange(before, after);
  if (!change) return '–';
  const sign = change.percent.isZero ? '' : change.percent.isNegative ? '−' : '+';
  return (
    <Text span inherit className="figure">
      {`${change.isRounded ? '≈ ' : ''}${sign}${formatNumber(change.percent.absolute(), language)}%`}
    </Text>
  );
}

/** A number of tokens, requests or the like, with all its digits in groups. */
export function Quantity({ value }: { value: Figure }) {
  const { language } = useLanguage();
  return (
    <Text component="data" inherit value={value.toString()} className="figure">
      {formatNumber(value, language)}
    </Text>
  );
}
