import { Badge, Code, Group, Stack, Text, Title } from '@mantine/core';
import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { bodyOf, type ConsoleApi, type Schemas, useConsoleApi } from '../../api/console-api';
import { AS_CSV, CsvButton } from '../../components/csv-button';
import { type Column, DataTable } from '../../components/data-table';
import { MiddleCut } from '../../components/middle-cut';
import { QueryState } from '../../components/query-state';
import { Bytes } from '../../figures/figure-text';
import { type ChineseTexts, defineTexts } from '../../language/define-texts';
import { Time } from '../../time/time';

const en = {
  title: 'Documents',
  name: 'Name',
  workspace: 'Workspace',
  size: 'Size',
  state: 'State',
  created: 'Uploaded',
  none: 'None',
  'status.queued': 'Queued',
  'status.processing': 'Processing',
  'status.ready': 'Ready',
  'status.failed': 'Failed',
} as const;

const zh: ChineseTexts<typeof en> = {
  title: '文档',
  name: '名称',
  workspace: '知识库',
  size: '大小',
  state: '状态',
  created: '上传时间',
  none: '无',
  'status.queued': '排队中',
  'status.processing': '处理中',
  'status.ready': '可用',
  'status.failed': '失败',
};

const useDocumentTexts = defineTexts('admin-account-documents', en, zh);

type CustomerDocument = Schemas['CustomerDocumentResponse'];

const COLORS = { queued: 'gray', processing: 'blue', ready: 'green', failed: 'red' } as const;

const documentsQuery = (api: ConsoleApi, id: string) =>
  infiniteQueryOptions({
    queryKey: ['admin-accounts', 'documents', id],
    queryFn: ({ signal, pageParam }) => {
      const params = { path: { id }, query: pageParam };
      return bodyOf(api.GET('/api/admin/accounts/{id}/documents', { signal, params }));
    },
    initialPageParam: {} as { cursor?: string },
    getNextPageParam: ({ next_cursor: cursor }) => (cursor === null ? undefined : { cursor }),
    select: ({ pages }) => pages.flatMap(({ documents }) => documents),
    staleTime: 0,
  });

const Name = ({ text }: { text: string }) => (
  <span translate="no">
    <MiddleCut text={text} width="16rem" />
  </span>
);

/** What a customer has uploaded to workspaces, without what it says. */
export function AccountDocuments({ accountId }: { accountId: string }) {
  const api = useConsoleApi();
  const t = useDocumentTexts();
  const query = useInfiniteQuery(documentsQuery(api, accountId));
  const columns: Column<CustomerDocument>[] = [
    { key: 'name', title: t('name'), place: 'title', cell: ({ name }) => <Name text={name} /> },
    {
      key: 'status',
      title: t('state'),
      place: 'status',
      cell: ({ status, error_code: code }) => (
        <Group gap="xs">
          <Badge variant="dot" color={COLORS[status]} tt="none" fw={500}>
            {t(`status.${status}`)}
          </Badge>
          {code !== null && <Code>{code}</Code>}
        </Group>
      ),
    },
    {
      key: 'size',
      title: t('size'),
      isNumber: true,
      place: 'figure',
      cell: ({ bytes }) => <Bytes value={bytes} />,
    },
    {
      key: 'workspace',
      title: t('workspace'),
      place: 'line',
      cell: ({ workspace_name: name }) => <Name text={name} />,
    },
    {
      key: 'created',
      title: t('created'),
      cell: ({ created_at: at }) => <Time value={at} detail="second" />,
    },
  ];
  return (
    <Stack component="section" gap="sm">
      <Group justify="space-between">
        <Title order={2}>{t('title')}</Title>
        <CsvButton
          fileName="documents.csv"
          read={() =>
            api.GET('/api/admin/accounts/{id}/documents', { ...AS_CSV, params: { path: { id: accountId } } })
          }
        />
      </Group>
      <QueryState
        query={query}
        isEmpty={(documents) => documents.length === 0}
        empty={
          <Text size="md" c="dimmed">
            {t('none')}
          </Text>
        }
      >
        {(documents) => (
          <DataTable
            label={t('title')}
            columns={columns}
            rows={documents}
            keyOf={({ id }) => id}
            onMore={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
            isLoadingMore={query.isFetchingNextPage}
          />
        )}
      </QueryState>
    </Stack>
  );
}
