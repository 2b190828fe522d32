import { Badge, Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemoApi } from '../../../api/service-apis';
import { type Column, DataTable } from '../../../components/data-table';
import { EmptyState } from '../../../components/empty-state';
import { QueryState } from '../../../components/query-state';
import { formatNumber } from '../../../figures/format-figure';
import { useLanguage } from '../../../language/language';
import { Time } from '../../../time/time';
import { useWorkspace } from '../workspace-context';
import { useWorkspaceTexts } from '../workspace-texts';
import { type AnswerFeedback, feedbackQuery } from './chat-queries';
import classes from './chat.module.css';

const SHOWN_LINES = 3;

/** What members think of the answers; for the admins of the workspace. */
export function FeedbackPart() {
  const t = useWorkspaceTexts();
  const { language } = useLanguage();
  const { workspace } = useWorkspace();
  const query = useInfiniteQuery(feedbackQuery(useMemoApi(), workspace.id));
  const columns: Column<AnswerFeedback>[] = [
    {
      key: 'rating',
      title: t('column.rating'),
      cell: ({ rating }) => (
        <Badge variant="light" color={rating === 'helpful' ? 'green' : 'orange'} tt="none">
          {t(`feedback.${rating}`)}
        </Badge>
      ),
    },
    {
      key: 'question',
      title: t('column.question'),
      cell: ({ question, answer }) => (
        <Stack gap={2} className={classes.exchange!}>
          <Text size="md" fw={500} lineClamp={SHOWN_LINES} title={question}>
            {question}
          </Text>
          <Text size="sm" c="dimmed" lineClamp={SHOWN_LINES} title={answer}>
            {answer}
          </Text>
        </Stack>
      ),
    },
    {
      key: 'comment',
      title: t('column.comment'),
      cell: ({ comment }) => (
        <Text size="md" className={classes.exchange!}>
          {comment || '–'}
        </Text>
      ),
    },
    {
      key: 'member',
      title: t('column.member'),
      cell: ({ email, user_id: id }) => email ?? id,
    },
    { key: 'created', title: t('column.created'), cell: ({ created_at: at }) => <Time value={at} /> },
  ];
  return (
    <Stack gap="md">
      <Text size="md" c="dimmed" maw="65ch">
        {t('feedback.description')}
      </Text>
      <QueryState
        query={query}
        isEmpty={({ pages }) => pages[0]?.feedback.length === 0}
        empty={<EmptyState title={t('feedback.empty')}>{t('feedback.empty.text')}</EmptyState>}
      >
        {({ pages }) => (
          <>
            <Group gap="lg">
              {(['helpful', 'unhelpful'] as const).map((rating) => (
                <Text key={rating} size="md" className="figure">
                  {t(`feedback.${rating}.total`, { number: formatNumber(pages[0]![rating], language) })}
                </Text>
              ))}
            </Group>
            <DataTable
              label={t('feedback')}
              columns={columns}
              rows={pages.flatMap(({ feedback }) => feedback)}
              keyOf={({ message_id: id }) => id}
              onMore={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
              isLoadingMore={query.isFetchingNextPage}
            />
          </>
        )}
      </QueryState>
    </Stack>
  );
}
