import { Text } from '@mantine/core';
import { useLanguage } from '../language/language-context';
import { type Figure } from './figure';
import { formatBytes, formatExactBytes } from './format-figure';

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
