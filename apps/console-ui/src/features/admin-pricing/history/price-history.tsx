import { Button, Code, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useConsoleApi } from '../../../api/console-api';
import { QueryState } from '../../../components/query-state';
import { Time } from '../../../time/time';
import { ChangeTable } from '../lines/change-table';
import { changesBetween } from '../lines/line-changes';
import { type PriceKind, type PriceList, priceHistoryQuery } from '../price-list-queries';
import { useAdminPricingTexts } from '../texts/admin-pricing-texts';

/** All published lists, newest first, each with what it changed. */
export function PriceHistory({ kind }: { kind: PriceKind }) {
  const t = useAdminPricingTexts();
  const query = useInfiniteQuery(priceHistoryQuery(useConsoleApi(), kind));
  return (
    <Stack component="section" gap="sm">
      <Title order={2}>{t('history')}</Title>
      <QueryState
        query={query}
        isEmpty={({ pages }) => pages.every(({ lists }) => lists.length === 0)}
        empty={<Text c="dimmed">{t('history.empty')}</Text>}
      >
        {({ pages }) => {
          const lists = pages.flatMap((page) => page.lists);
          // The last one is shown when that before it is known.
          const shown = query.hasNextPage ? lists.slice(0, -1) : lists;
          return (
            <>
              {shown.map((list, index) => (
                <Version key={list.version} list={list} former={lists[index + 1]} />
              ))}
              {query.hasNextPage && (
                <Group justify="center">
                  <Button
                    variant="default"
                    loading={query.isFetchingNextPage}
                    onClick={() => void query.fetchNextPage()}
                  >
                    {t('history.more')}
                  </Button>
                </Group>
              )}
            </>
          );
        }}
      </QueryState>
    </Stack>
  );
}

function Version({ list, former }: { list: PriceList; former: PriceList | undefined }) {
  const t = useAdminPricingTexts();
  const changes = changesBetween(former?.lines ?? [], list.lines);
  const title = t('history.version', { version: list.version });
  return (
    <Paper withBorder p="md" component="article" aria-label={title}>
      <Stack gap="sm">
        <Group gap="sm">
          <Text fw={600}>{title}</Text>
          {list.publishedAt && <Time value={list.publishedAt} />}
          {list.publishedBy && <Code>{list.publishedBy}</Code>}
        </Group>
        {changes.length > 0 ? (
          <ChangeTable label={title} changes={changes} />
        ) : (
          <Text c="dimmed">{t('history.same')}</Text>
        )}
      </Stack>
    </Paper>
  );
}
