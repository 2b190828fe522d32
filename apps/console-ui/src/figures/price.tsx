import { Text } from '@mantine/core';
import { useLanguage } from '../language/language-context';
import { type Figure } from './figure';
import { type Currency, formatPrice } from './format-figure';

/** A price with all its digits. */
export function Price({ value, currency }: { value: Figure; currency: Currency }) {
  const { language } = useLanguage();
  return (
    <Text component="data" inherit value={value.toString()} className="figure">
      {formatPrice(value, currency, language)}
    </Text>
  );
}
