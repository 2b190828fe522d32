import { Text } from '@mantine/core';
import { useLanguage } from '../language/language-context';
import { type Figure } from './figure';
import { formatNumber, percentChange } from './format-figure';

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
