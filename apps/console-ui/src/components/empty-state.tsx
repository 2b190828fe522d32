import { Paper, Stack, Text, Title } from '@mantine/core';
import { type ReactNode } from 'react';

/** Stands where a list would be: why it is empty, and the next step. */
export function EmptyState({
  title,
  children,
  action,
  headingLevel = 2,
}: {
  title: string;
  children: ReactNode;
  action?: ReactNode;
  /** 1 where it stands for the whole page. */
  headingLevel?: 1 | 2;
}) {
  return (
    <Paper withBorder p="xl">
      <Stack align="center" gap="xs" py="lg">
        <Title order={headingLevel} size="h2">
          {title}
        </Title>
        <Text c="dimmed" ta="center" maw="50ch">
          {children}
        </Text>
        {action}
      </Stack>
    </Paper>
  );
}
