import { Alert, Button, Group, Paper, Select, Stack, Text, Title } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { accountKey } from '../../api/account-storage';
import { useMay } from '../../api/account';
import { useConsoleApi } from '../../api/console-api';
import { CsvButton } from '../../components/csv-button';
import { EmptyState } from '../../components/empty-state';
import { Page } from '../../components/page';
import { PartLinks } from '../../components/part-links';
import { QueryState } from '../../components/query-state';
import { useAccountId } from '../../api/session';
import { Time } from '../../time/time';
import { AccountLink } from '../admin-accounts/account-link';
import { useAdminPricingTexts } from './admin-pricing-texts';
import classes from './admin-pricing.module.css';
import { ChangeTable } from './change-table';
import { changesBetween, type LineUnit } from './price-line';
import {
  newestListQuery,
  priceHistoryQuery,
  readHistoryCsv,
  type PriceKind,
  type PriceList,
  type PriceSource,
  sourceKey,
  upstreamNamesQuery,
} from './price-list-queries';
import { NewLineForm } from './new-line-form';
import { PriceTable } from './price-table';
import { PriceTools } from './price-tools';
import { ReviewDialog } from './review-dialog';
import { usePriceDraft } from './use-price-draft';

/** The lines that a list always has. */
const FIXED_UNITS: Record<PriceKind, readonly LineUnit[]> = {
  models: [],
  gpus: [],
  costs: [],
  training: ['training_tokens', 'training_hour'],
};

/** The routes that publish each list. */
const PUBLISHING: Record<PriceKind, string> = {
  models: 'PATCH /api/admin/billing/pricing/models',
  gpus: 'PATCH /api/admin/billing/pricing/gpus',
  training: 'PUT /api/admin/billing/pricing/training',
  costs: 'PUT /api/admin/upstreams/:id/cost-prices',
};

/** Changes a list. Nothing is published before its differences were shown. */
function PriceEditor({
  source,
  list,
  onPublished,
}: {
  source: PriceSource;
  list: PriceList;
  onPublished: () => void;
}) {
  const { kind } = source;
  const t = useAdminPricingTexts();
  const accountId = useAccountId();
  const mayPublish = useMay()(PUBLISHING[kind]);
  const draft = usePriceDraft(
    list,
    FIXED_UNITS[kind],
    accountId && accountKey(accountId, `prices-${sourceKey(source)}`),
  );
  // Edits from before that were made to an older list are compared with the newer one at once.
  const [isReviewing, setIsReviewing] = useState(draft.conflicts !== undefined);
  const count = draft.changes.length;
  return (
    <Stack>
      {draft.isRestored && (
        <Alert role="status" variant="light">
          <Group justify="space-between">
            {t('restored')}
            <Button size="xs" variant="default" onClick={draft.discard}>
              {t('restored.discard')}
            </Button>
          </Group>
        </Alert>
      )}
      {draft.lines.length > 0 ? (
        <PriceTable label={t(kind)} draft={draft} canRemove={kind !== 'training'} />
      ) : (
        <Text c="dimmed">{t('list.empty')}</Text>
      )}
      {mayPublish && kind !== 'training' && (
        <>
          <NewLineForm kind={kind} source={source} draft={draft} />
          <PriceTools kind={kind} draft={draft} />
        </>
      )}
      {mayPublish && (
        <Paper withBorder shadow="sm" p="sm" className={classes.bar}>
          <Group justify="space-between">
            <Text role="status">{count > 0 ? t('changes', { count }) : t('changes.none')}</Text>
            <Button onClick={() => setIsReviewing(true)} disabled={count === 0 || !draft.isValid}>
              {t('review')}
            </Button>
          </Group>
        </Paper>
      )}
      {isReviewing && (
        <ReviewDialog
          source={source}
          draft={draft}
          onPublished={onPublished}
          onClose={() => setIsReviewing(false)}
        />
      )}
    </Stack>
  );
}

const PARTS = [
  { to: '/admin/pricing', kind: 'models' },
  { to: '/admin/pricing/gpus', kind: 'gpus' },
  { to: '/admin/pricing/training', kind: 'training' },
  { to: '/admin/pricing/costs', kind: 'costs' },
] as const;

function PricingFrame({ description, children }: { description: string; children: ReactNode }) {
  const t = useAdminPricingTexts();
  return (
    <Page title={t('title')} description={description}>
      <PartLinks label={t('title')}>
        {PARTS.map((part) => (
          <Link key={part.to} to={part.to} activeOptions={{ exact: true, includeSearch: false }}>
            {t(part.kind)}
          </Link>
        ))}
      </PartLinks>
      {children}
    </Page>
  );
}

/** The editor of a list, and its history. */
function ListOfPrices({ source }: { source: PriceSource }) {
  const query = useQuery(newestListQuery(useConsoleApi(), source));
  // Each publication begins a new draft.
  const [publications, setPublications] = useState(0);
  const finish = () => void query.refetch().then(() => setPublications((count) => count + 1));
  return (
    <>
      <QueryState query={query}>
        {(list) => <PriceEditor key={publications} source={source} list={list} onPublished={finish} />}
      </QueryState>
      <PriceHistory source={source} />
    </>
  );
}

function SitePricesPage({ kind }: { kind: Exclude<PriceKind, 'costs'> }) {
  const t = useAdminPricingTexts();
  return (
    <PricingFrame description={t('description')}>
      <ListOfPrices source={{ kind }} />
    </PricingFrame>
  );
}

/** What one of the upstreams takes: that of the address, or else the first one. */
export function CostPricesPage() {
  const t = useAdminPricingTexts();
  const query = useQuery(upstreamNamesQuery(useConsoleApi()));
  const { upstream: chosen } = useSearch({ strict: false });
  const navigate = useNavigate();
  return (
    <PricingFrame description={t('costs.description')}>
      <QueryState
        query={query}
        isEmpty={(upstreams) => upstreams.length === 0}
        empty={<EmptyState title={t('costs.none.title')}>{t('costs.none.text')}</EmptyState>}
      >
        {(upstreams) => {
          const { id } = upstreams.find((one) => one.id === chosen) ?? upstreams[0]!;
          return (
            <>
              <Select
                label={t('costs.upstream')}
                description={t('costs.names')}
                allowDeselect={false}
                searchable
                maw="24rem"
                data={upstreams.map((one) => ({ value: one.id, label: one.name }))}
                value={id}
                onChange={(upstream) =>
                  upstream &&
                  void navigate({ to: '/admin/pricing/costs', search: { upstream }, replace: true })
                }
              />
              <ListOfPrices key={id} source={{ kind: 'costs', upstreamId: id }} />
            </>
          );
        }}
      </QueryState>
    </PricingFrame>
  );
}

export const ModelPricesPage = () => <SitePricesPage kind="models" />;
export const GpuPricesPage = () => <SitePricesPage kind="gpus" />;
export const TrainingPricesPage = () => <SitePricesPage kind="training" />;

/** All published lists, newest first, each with what it changed. */
function PriceHistory({ source }: { source: PriceSource }) {
  const t = useAdminPricingTexts();
  const api = useConsoleApi();
  const query = useInfiniteQuery(priceHistoryQuery(api, source));
  return (
    <Stack component="section" gap="sm">
      <Group justify="space-between">
        <Title order={2}>{t('history')}</Title>
        <CsvButton fileName={`price-history-${source.kind}.csv`} read={() => readHistoryCsv(api, source)} />
      </Group>
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
          {list.publishedBy && (
            <AccountLink
              id={list.publishedBy}
              emails={new Map([[list.publishedBy, list.publisherEmail ?? list.publishedBy]])}
            />
          )}
        </Group>
        {list.reason !== null && <Text>{list.reason}</Text>}
        {changes.length > 0 ? (
          <ChangeTable label={title} changes={changes} />
        ) : (
          <Text c="dimmed">{t('history.same')}</Text>
        )}
      </Stack>
    </Paper>
  );
}
