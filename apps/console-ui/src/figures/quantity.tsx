import { Text } from '@mantine/core';
import { useLanguage } from '../language/language-context';
import { type Figure } from './figure';
import { formatNumber } from './format-figure';

/** A number of tokens, requests or the like, with all its digits in groups. */
export function Quantity({ value }: { value: Figure }) {
  const { language } = useLanguage();
  return (
    <Text component="data" inherit value={value.toString()} className="figure">
      {formatNumber(value, language)}
    </Text>
  );
}
