import '@mantine/core/styles.layer.css';
import { Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode } from 'react';
import classes from './page.module.css';
import { usePageTitle } from './page-title';
import { WithZoneNote } from '../time/time';

interface Props {
  title: string;
  description?: ReactNode;
  /** Buttons beside the title. */
  actions?: ReactNode;
  /** `narrow` for forms and texts. */
  width?: 'normal' | 'narrow';
  children: ReactNode;
}

/** Frame of every page but the sign-in: its width, its heading with actions, and the title of the tab. */
export function Page({ title, description, actions, width = 'normal', children }: Props) {
  usePageTitle(title, typeof description === 'string' ? description : undefined);
  return (
    <Stack gap="lg" className={classes.page} data-width={width}>
      <Group justify="space-between" align="flex-start" gap="md">
        <Stack gap={4} className={classes.heading}>
          <Title order={1}>{title}</Title>
          {description && (
            <Text c="dimmed" size="md" className={classes.description}>
              {description}
            </Text>
          )}
        </Stack>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      <WithZoneNote>{children}</WithZoneNote>
    </Stack>
  );
}
