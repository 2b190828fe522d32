import { Skeleton, Stack } from '@mantine/core';

/** As high as a card of the overview with its figure. */
export function CardSkeleton() {
  return (
    <Stack gap="sm" aria-busy>
      <Skeleton height={36} width="50%" />
      <Skeleton height={86} />
    </Stack>
  );
}
