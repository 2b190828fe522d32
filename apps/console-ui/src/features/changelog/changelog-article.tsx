import { Badge, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { Time } from '../../time/time';
import { type ChangelogEntry } from './changelog-queries';
import { Markdown } from './markdown/markdown';

export function ChangelogArticle({ entry }: { entry: ChangelogEntry }) {
  const { id, title, body, component, tag_name, published_at } = entry;
  return (
    <Paper withBorder p="lg" component="article" aria-labelledby={id}>
      <Stack gap="sm">
        <Group gap="xs">
          <Text size="sm" c="dimmed">
            <Time value={published_at} detail="day" />
          </Text>
          {component && (
            <Badge variant="light" tt="none">
              {[component, tag_name].filter(Boolean).join(' ')}
            </Badge>
          )}
        </Group>
        <Title order={2} id={id}>
          {title}
        </Title>
        <Markdown text={body} />
      </Stack>
    </Paper>
  );
}
