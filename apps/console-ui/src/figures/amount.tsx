import { Text, Tooltip } from '@mantine/core';
import { useLanguage } from '../language/language-context';
import { type Figure } from './figure';
import { type Currency, formatAmount, formatExactAmount } from './format-figure';

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
