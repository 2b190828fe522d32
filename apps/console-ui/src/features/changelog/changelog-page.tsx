import { Badge, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Rss } from 'lucide-react';
import { useConsoleApi } from '../../api/console-api';
import { useRuntimeConfig } from '../../api/site';
import { EmptyState } from '../../components/empty-state';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { type ChineseTexts, defineTexts } from '../../language/define-texts';
import { Time } from '../../time/time';
import { type ChangelogEntry, changelogQuery } from './changelog-queries';
import { Markdown } from '../../components/markdown/markdown';

const en = {
  title: 'Changelog',
  description: 'The latest changes to this platform.',
  feed: 'Atom feed',
  more: 'Show more',
  'empty.title': 'No news yet',
  'empty.text': 'Updates will appear here. You can find the latest versions on the downloads page.',
  'empty.downloads': 'Go to the downloads',
} as const;

const zh: ChineseTexts<typeof en> = {
  title: '更新日志',
  description: '平台的最新变化。',
  feed: 'Atom 订阅',
  more: '显示更多',
  'empty.title': '暂无更新',
  'empty.text': '更新内容将在此发布，最新版本请见下载页面。',
  'empty.downloads': '前往下载',
};

const useChangelogTexts = defineTexts('changelog', en, zh);

export function ChangelogPage() {
  const t = useChangelogTexts();
  const { apiUrl } = useRuntimeConfig();
  const query = useInfiniteQuery(changelogQuery(useConsoleApi()));
  return (
    <Page
      title={t('title')}
      description={t('description')}
      width="narrow"
      actions={
        <Button
          component="a"
          href={`${apiUrl}/api/changelog.atom`}
          variant="default"
          size="xs"
          leftSection={<Rss size={14} />}
        >
          {t('feed')}
        </Button>
      }
    >
      <QueryState
        query={query}
        isEmpty={({ pages }) => pages.every(({ entries }) => entries.length === 0)}
        empty={
          <EmptyState
            title={t('empty.title')}
            action={
              <Button component={Link} to="/downloads" variant="default">
                {t('empty.downloads')}
              </Button>
            }
          >
            {t('empty.text')}
          </EmptyState>
        }
      >
        {({ pages }) => (
          <Stack gap="md">
            {pages.flatMap(({ entries }) =>
              entries.map((entry) => <ChangelogArticle key={entry.id} entry={entry} />),
            )}
            {query.hasNextPage && (
              <Group justify="center">
                <Button
                  variant="default"
                  loading={query.isFetchingNextPage}
                  onClick={() => void query.fetchNextPage()}
                >
                  {t('more')}
                </Button>
              </Group>
            )}
          </Stack>
        )}
      </QueryState>
    </Page>
  );
}

function ChangelogArticle({ entry }: { entry: ChangelogEntry }) {
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
