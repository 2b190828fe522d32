import { Text, Tooltip } from '@mantine/core';
import { useLanguage } from '../language/language-context';
import { type Figure } from './figure';
import {
  type Currency,
  formatAmount,
  formatBytes,
  formatExactAmount,
  formatExactBytes,
  formatNumber,
  formatPrice,
  percentChange,
} from './format-figure';

/**
 * An amount of money as people read it. All its digits are in the tooltip, and copying a selection of it copies all of
 * them. `currency`: of the row that the amount is in, never that of the page.
 */
export function Amount({ value, currency }: { value: Figure; currency: Currency }) {
  const { language } = useLanguage();
  const exact = formatExactAmount(value, currency, language);
  return (
    <Tooltip label={exact} events={{ hover: true, focus: true, touch: true }}>
      <Text
        component="data"
        inherit
        value={value.toString()}
        className="figure"
        onCopy={(event) => {
          event.clipboardData.setData('text/plain', value.toString());
          event.preventDefault();
        }}
      >
        {formatAmount(value, currency, language)}
      </Text>
    </Tooltip>
  );
}

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

/** The change of a figure in percent: `+12.5 %`, and `≈ +33.33 %` if it is rounded. */
export function PercentText({ before, after }: { before: Figure | undefined; after: Figure | undefined }) {
  const { language } = useLanguage();
  const change = percentChange(before, after);
  if (!change) return '–';
  const sign = change.percent.isZero ? '' : change.percent.isNegative ? '−' : '+';
  return (
    <Text span inherit className="figure">
      {`${change.isRounded ? '≈ ' : ''}${sign}${formatNumber(change.percent.absolute(), language)} %`}
    </Text>
  );
}

/** A price with all its digits. */
export function Price({ value, currency }: { value: Figure; currency: Currency }) {
  const { language } = useLanguage();
  return (
    <Text component="data" inherit value={value.toString()} className="figure">
      {formatPrice(value, currency, language)}
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
