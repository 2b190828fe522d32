import { Paper, Stack, Text, Title } from '@mantine/core';
import { type ReactNode } from 'react';

/** Stands where a list would be: why it is empty, and the next step. */
export function EmptyState({
  title,
  children,
  action,
}: {
  title: string;
  children: ReactNode;
  action?: ReactNode;
}) {
  return (
    <Paper withBorder p="xl">
      <Stack align="center" gap="xs" py="lg">
        <Title order={2}>{title}</Title>
        <Text c="dimmed" ta="center" maw="50ch">
          {children}
        </Text>
        {action}
      </Stack>
    </Paper>
  );
}
