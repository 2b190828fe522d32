import { Group, Paper, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type ReactNode } from 'react';
import { Page } from '../../components/page';
import { PartLinks } from '../../components/part-links';
import { useSettingsTexts } from './settings-texts';

const PARTS = [
  { to: '/settings', text: 'profile' },
  { to: '/settings/security', text: 'security' },
  { to: '/settings/identities', text: 'identities' },
  { to: '/settings/sessions', text: 'sessions' },
  { to: '/settings/events', text: 'events' },
] as const;

interface Props {
  part: (typeof PARTS)[number]['text'];
  actions?: ReactNode;
  children: ReactNode;
}

/** Frame of the settings: links to all their pages above the one that is open. */
export function SettingsPage({ part, actions, children }: Props) {
  const t = useSettingsTexts();
  return (
    <Page title={t(part)} description={t(`${part}.description`)} actions={actions}>
      <PartLinks label={t('title')}>
        {PARTS.map(({ to, text }) => (
          <Link key={to} to={to} activeOptions={{ exact: true }}>
            {t(text)}
          </Link>
        ))}
      </PartLinks>
      {children}
    </Page>
  );
}

interface CardProps {
  title: string;
  description?: ReactNode;
  /** Stands beside the title, such as a state. */
  aside?: ReactNode;
  children?: ReactNode;
}

/** One matter of a page of settings. */
export function Card({ title, description, aside, children }: CardProps) {
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
