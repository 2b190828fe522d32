import { Text, Tooltip } from '@mantine/core';
import { useLanguage } from '../language/language';
import { type AmountProps, copyExactly } from './figure-text';
import { formatAmountAndCurrency, formatShortAmount } from './format-figure';

/** An amount in a list, which says if it is shortened (`formatShortAmount`). All its digits are in the tooltip and in what is copied. */
export function ShortAmount({ value, currency }: AmountProps) {
  const { language } = useLanguage();
  return (
    <Tooltip
      label={formatAmountAndCurrency(value, currency, language)}
      events={{ hover: true, focus: true, touch: true }}
    >
      <Text component="data" inherit value={value.toString()} className="figure" onCopy={copyExactly(value)}>
        {formatShortAmount(value, currency, language)}
      </Text>
    </Tooltip>
  );
}
