import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useConsoleApi } from '../../api/console-api';
import { Page } from '../../components/page';
import { PartLinks } from '../../components/part-links';
import { QueryState } from '../../components/query-state';
import { PriceHistory } from './history/price-history';
import { PriceEditor } from './price-editor';
import { newestListQuery, type PriceKind } from './price-list-queries';
import { useAdminPricingTexts } from './texts/admin-pricing-texts';

const PARTS = [
  { to: '/admin/pricing', kind: 'models' },
  { to: '/admin/pricing/gpus', kind: 'gpus' },
  { to: '/admin/pricing/training', kind: 'training' },
] as const;

function AdminPricingPage({ kind }: { kind: PriceKind }) {
  const t = useAdminPricingTexts();
  const query = useQuery(newestListQuery(useConsoleApi(), kind));
  // Each publication begins a new draft.
  const [publications, setPublications] = useState(0);
  const finish = () => void query.refetch().then(() => setPublications((count) => count + 1));
  return (
    <Page title={t('title')} description={t('description')}>
      <PartLinks label={t('title')}>
        {PARTS.map((part) => (
          <Link key={part.to} to={part.to} activeOptions={{ exact: true }}>
            {t(part.kind)}
          </Link>
        ))}
      </PartLinks>
      <QueryState query={query}>
        {(list) => <PriceEditor key={publications} kind={kind} list={list} onPublished={finish} />}
      </QueryState>
      <PriceHistory kind={kind} />
    </Page>
  );
}

export const ModelPricesPage = () => <AdminPricingPage kind="models" />;
export const GpuPricesPage = () => <AdminPricingPage kind="gpus" />;
export const TrainingPricesPage = () => <AdminPricingPage kind="training" />;
