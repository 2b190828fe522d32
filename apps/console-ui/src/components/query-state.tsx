import { Skeleton, Stack } from '@mantine/core';
import { type UseQueryResult } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { ErrorNotice } from './error-notice';

const SKELETON_ROWS = 5;

interface Props<Data> {
  query: Pick<UseQueryResult<Data>, 'data' | 'error'> & { refetch: () => unknown };
  /** As high as what will stand there; rows by default. */
  skeleton?: ReactNode;
  isEmpty?: (data: Data) => boolean;
  /** An `<EmptyState>`. */
  empty?: ReactNode;
  children: (data: Data) => ReactNode;
}

/** What is to be seen of a query: a skeleton, an error with a retry, the empty state, or the data. */
export function QueryState<Data>({ query, skeleton, isEmpty, empty, children }: Props<Data>) {
  const { data, error } = query;
  if (data === undefined) {
    if (error) return <ErrorNotice error={error} onRetry={() => void query.refetch()} />;
    return skeleton ?? <RowsSkeleton />;
  }
  return (
    <Stack gap="md">
      {/* Older data stay in sight while newer ones cannot be had. */}
      {error && <ErrorNotice error={error} onRetry={() => void query.refetch()} />}
      {isEmpty?.(data) ? empty : children(data)}
    </Stack>
  );
}

function RowsSkeleton() {
  return (
    <Stack gap="xs" aria-busy>
      {Array.from({ length: SKELETON_ROWS }, (_, row) => (
        <Skeleton key={row} height={36} />
      ))}
    </Stack>
  );
}
