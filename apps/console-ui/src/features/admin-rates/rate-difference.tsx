import { Text } from '@mantine/core';
import { type Figure } from '../../figures/figure';
import { PercentText } from '../../figures/percent-text';
import { Quantity } from '../../figures/quantity';

/** Old and new rate, and the change in percent. */
export function RateDifference({ before, after }: { before: Figure | undefined; after: Figure }) {
  return (
    <Text fw={500}>
      {before ? <Quantity value={before} /> : '–'} → <Quantity value={after} />{' '}
      <PercentText before={before} after={after} />
    </Text>
  );
}
