import { Group, Paper, Stack, Text, Title } from '@mantine/core';
import { type ReactNode } from 'react';

interface Props {
  title: string;
  description?: ReactNode;
  /** Stands beside the title, such as a state. */
  aside?: ReactNode;
  children?: ReactNode;
}

/** One matter of a page of settings. */
export function Card({ title, description, aside, children }: Props) {
  return (
    <Paper withBorder p="lg">
      <Stack gap="md">
        <div>
          <Group gap="sm">
            <Title order={2}>{title}</Title>
            {aside}
          </Group>
          {description && (
            <Text size="md" c="dimmed" mt={4} maw="65ch">
              {description}
            </Text>
          )}
        </div>
        {children}
      </Stack>
    </Paper>
  );
}
