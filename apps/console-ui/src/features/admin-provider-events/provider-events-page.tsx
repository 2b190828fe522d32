import { Anchor, Box, Button, Code, Paper, Stack, Text, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { infiniteQueryOptions, useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../api/account';
import { bodyOf, type ConsoleApi, type Schemas, useConsoleApi } from '../../api/console-api';
import { useSite } from '../../api/site';
import { AS_CSV, CsvButton } from '../../components/csv-button';
import { type Column, DataTable } from '../../components/data-table';
import { FormDialog } from '../../components/dialogs';
import { EmptyState } from '../../components/empty-state';
import { ErrorNotice, showFieldErrors } from '../../components/error-notice';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { Amount, Quantity } from '../../figures/figure-text';
import { type ChineseTexts, defineTexts } from '../../language/define-texts';
import { Time } from '../../time/time';
import { AccountLink, useAccountEmails } from '../admin-accounts/account-link';
import detailClasses from '../admin-events/event-details.module.css';
import { Choice } from '../usage/filters';
import classes from '../usage/filters.module.css';
import { useWalletTexts } from '../wallet/wallet-texts';

const en = {
  title: 'Provider events',
  description:
    'Disputes, refunds that were made in a provider’s own pages, and other events that the platform does not act on. Close each with a note of what you did.',
  state: 'Show',
  'state.open': 'Open',
  'state.closed': 'Closed',
  'state.all': 'All',
  received: 'Received',
  event: 'Event',
  'kind.dispute': 'Dispute',
  'kind.refund': 'Refund at the provider',
  'kind.other': 'Other',
  provider: 'Provider',
  amount: 'Amount',
  payment: 'Payment',
  account: 'Account',
  closing: 'Handling',
  'closing.own_refund': 'Caused by a refund made here',
  close: 'Close',
  'close.title': 'Close this event',
  'close.text': 'This changes no payment and no balance.',
  'close.note': 'What was done',
  'close.note.missing': 'Describe briefly what was done.',
  'close.done': 'The event is closed.',
  'empty.title': 'Nothing to handle',
  'empty.text': 'Events that need your attention appear here.',
} as const;

const zh: ChineseTexts<typeof en> = {
  title: '支付渠道事件',
  description: '争议、在支付渠道后台直接办理的退款，以及平台不会自动处理的其他事件。处理后请填写说明并关闭。',
  state: '显示',
  'state.open': '待处理',
  'state.closed': '已关闭',
  'state.all': '全部',
  received: '接收时间',
  event: '事件',
  'kind.dispute': '争议',
  'kind.refund': '渠道退款',
  'kind.other': '其他',
  provider: '支付渠道',
  amount: '金额',
  payment: '付款',
  account: '账户',
  closing: '处理',
  'closing.own_refund': '由本站退款产生',
  close: '关闭',
  'close.title': '关闭此事件',
  'close.text': '关闭事件不会更改任何付款或余额。',
  'close.note': '处理说明',
  'close.note.missing': '请简要填写处理情况。',
  'close.done': '事件已关闭。',
  'empty.title': '没有待处理事件',
  'empty.text': '需要人工处理的事件会显示在这里。',
};

const useProviderEventTexts = defineTexts('admin-provider-events', en, zh);

type ProviderEvent = Schemas['ProviderEventResponse'];
type State = 'open' | 'closed' | 'all';

const STATES: readonly State[] = ['open', 'closed', 'all'];
const EVENTS = 'admin-provider-events';
const MAX_NOTE_CHARS = 500;

const parametersOf = (state: State) => (state === 'all' ? {} : { state });

const eventsQuery = (api: ConsoleApi, state: State) =>
  infiniteQueryOptions({
    queryKey: [EVENTS, state],
    queryFn: ({ signal, pageParam }) => {
      const query = { ...pageParam, ...parametersOf(state) };
      return bodyOf(api.GET('/api/admin/billing/provider-events', { signal, params: { query } }));
    },
    initialPageParam: {} as { cursor?: string },
    getNextPageParam: ({ next_cursor: cursor }) => (cursor === null ? undefined : { cursor }),
    select: ({ pages }) => pages.flatMap(({ events }) => events),
    staleTime: 0,
  });

/** What payment providers report and nobody handles but a person. */
export function ProviderEventsPage() {
  const t = useProviderEventTexts();
  const api = useConsoleApi();
  const [state, setState] = useState<State>('open');
  const query = useInfiniteQuery(eventsQuery(api, state));
  return (
    <Page
      title={t('title')}
      description={t('description')}
      actions={
        <CsvButton
          fileName="provider-events.csv"
          read={() =>
            api.GET('/api/admin/billing/provider-events', {
              ...AS_CSV,
              params: { query: parametersOf(state) },
            })
          }
        />
      }
    >
      <Paper withBorder p="md" className={classes.fields} role="search" aria-label={t('title')}>
        <Choice
          label={t('state')}
          value={state}
          options={STATES.map((value) => ({ value, label: t(`state.${value}`) }))}
          onChoose={(value) => setState(STATES.find((known) => known === value) ?? 'open')}
        />
      </Paper>
      <QueryState
        query={query}
        isEmpty={(events) => events.length === 0}
        empty={<EmptyState title={t('empty.title')}>{t('empty.text')}</EmptyState>}
      >
        {(events) => (
          <EventTable
            events={events}
            onMore={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
            isLoadingMore={query.isFetchingNextPage}
          />
        )}
      </QueryState>
    </Page>
  );
}

interface Props {
  events: ProviderEvent[];
  onMore: (() => void) | undefined;
  isLoadingMore: boolean;
}

function EventTable({ events, onMore, isLoadingMore }: Props) {
  const [t, walletText] = [useProviderEventTexts(), useWalletTexts()];
  const { currency: siteCurrency } = useSite();
  const mayClose = useMay()('POST /api/admin/billing/provider-events/:id/close');
  const [closing, setClosing] = useState<string>();
  const emails = useAccountEmails(events.flatMap(({ account_id: id, closed_by: by }) => [id, by]));
  const columns: Column<ProviderEvent>[] = [
    {
      key: 'event',
      title: t('event'),
      place: 'title',
      cell: ({ kind, type, status, reason }) => (
        <Stack gap={2} align="flex-start">
          <Text inherit fw={500}>
            {t(`kind.${kind}`)}
          </Text>
          <Code>{type}</Code>
          {(status ?? reason) !== null && (
            <Text size="sm" c="dimmed" translate="no">
              {[status, reason].filter(Boolean).join(', ')}
            </Text>
          )}
        </Stack>
      ),
    },
    {
      key: 'received',
      title: t('received'),
      place: 'status',
      cell: ({ received_at: at }) => <Time value={at} />,
    },
    {
      key: 'provider',
      title: t('provider'),
      place: 'more',
      cell: ({ provider }) => walletText(`provider.${provider}`),
    },
    {
      key: 'amount',
      title: t('amount'),
      isNumber: true,
      cell: ({ amount, currency }) =>
        amount === null ? (
          '–'
        ) : currency === siteCurrency ? (
          <Amount value={amount} currency={siteCurrency} />
        ) : (
          <>
            <Quantity value={amount} /> {currency}
          </>
        ),
    },
    {
      key: 'account',
      title: t('account'),
      place: 'line',
      cell: ({ account_id: id }) => (id === null ? '–' : <AccountLink id={id} emails={emails} />),
    },
    {
      key: 'payment',
      title: t('payment'),
      place: 'line',
      cell: ({ payment_id: id }) =>
        id === null ? (
          '–'
        ) : (
          <Anchor component={Link} to={`/admin/payments/${id}`} inherit translate="no">
            {id}
          </Anchor>
        ),
    },
    {
      key: 'closing',
      title: t('closing'),
      place: 'line',
      cell: ({ id, closed_at: at, closed_as: how, closed_by: by, note }) => {
        if (at === null)
          return mayClose ? (
            <Button size="xs" variant="default" onClick={() => setClosing(id)}>
              {t('close')}
            </Button>
          ) : (
            '–'
          );
        return how === 'own_refund' ? (
          t('closing.own_refund')
        ) : (
          <Box miw="10rem" className={detailClasses.account}>
            {note} {by !== null && <AccountLink id={by} emails={emails} />}
          </Box>
        );
      },
    },
  ];
  return (
    <>
      <DataTable
        label={t('title')}
        columns={columns}
        rows={events}
        keyOf={({ id }) => id}
        onMore={onMore}
        isLoadingMore={isLoadingMore}
      />
      {closing !== undefined && <CloseDialog id={closing} onClose={() => setClosing(undefined)} />}
    </>
  );
}

function CloseDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const t = useProviderEventTexts();
  const api = useConsoleApi();
  const queryClient = useQueryClient();
  const [failure, setFailure] = useState<unknown>();
  const form = useForm({
    initialValues: { note: '' },
    validate: { note: (value) => (value.trim() ? null : t('close.note.missing')) },
  });
  const close = useMutation({
    mutationFn: (note: string) =>
      bodyOf(
        api.POST('/api/admin/billing/provider-events/{id}/close', {
          params: { path: { id } },
          body: { note },
        }),
      ),
    onSettled: () => queryClient.invalidateQueries({ queryKey: [EVENTS] }),
  });
  const submit = ({ note }: typeof form.values) =>
    close.mutate(note.trim(), {
      onSuccess: () => {
        notifications.show({ message: t('close.done') });
        onClose();
      },
      onError: (error) => setFailure(showFieldErrors(form, error)),
    });
  return (
    <FormDialog
      title={t('close.title')}
      submitText={t('close')}
      isPending={close.isPending}
      onSubmit={form.onSubmit(submit)}
      onClose={onClose}
    >
      {failure !== undefined && <ErrorNotice error={failure} />}
      <Text size="md">{t('close.text')}</Text>
      <Textarea
        label={t('close.note')}
        required
        data-autofocus
        maxLength={MAX_NOTE_CHARS}
        {...form.getInputProps('note')}
      />
    </FormDialog>
  );
}
