import { Anchor, Badge, Button, Code } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useConsoleApi } from '../../api/console-api';
import { type Column, DataTable } from '../../components/data-table';
import { EmptyState } from '../../components/empty-state';
import { MiddleCut } from '../../components/middle-cut';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { Time } from '../../time/time';
import { useAdminPackagesTexts } from './admin-packages-texts';
import { ModelDialog } from './model-dialog';
import { type AdminModel, adminModelsQuery } from './package-queries';

export function AdminModelsPage() {
  const t = useAdminPackagesTexts();
  const navigate = useNavigate();
  const query = useInfiniteQuery(adminModelsQuery(useConsoleApi()));
  const [isCreating, setIsCreating] = useState(false);
  const createButton = (
    <Button leftSection={<Plus size={16} />} onClick={() => setIsCreating(true)}>
      {t('create')}
    </Button>
  );
  const columns: Column<AdminModel>[] = [
    {
      key: 'name',
      title: t('column.model'),
      cell: ({ name, slug }) => (
        <Anchor component={Link} to="/admin/models/$" params={{ _splat: slug } as never} inherit>
          <MiddleCut text={name} width="18rem" />
        </Anchor>
      ),
    },
    {
      key: 'slug',
      title: t('slug'),
      place: 'status',
      cell: ({ slug }) => (
        <Code>
          <MiddleCut text={slug} width="18rem" />
        </Code>
      ),
    },
    {
      key: 'version',
      title: t('column.published'),
      cell: ({ version }) =>
        version ?? (
          <Badge miw="max-content" variant="default" tt="none">
            {t('published.none')}
          </Badge>
        ),
    },
    {
      key: 'changed',
      title: t('column.changed'),
      cell: ({ changed_at }) => <Time value={changed_at} />,
    },
  ];
  return (
    <Page title={t('title')} description={t('description')} actions={createButton}>
      <QueryState
        query={query}
        isEmpty={({ pages }) => pages.every(({ models }) => models.length === 0)}
        empty={<EmptyState title={t('empty.title')}>{t('empty.text')}</EmptyState>}
      >
        {({ pages }) => (
          <DataTable
            label={t('title')}
            columns={columns}
            rows={pages.flatMap(({ models }) => models)}
            keyOf={({ slug }) => slug}
            onMore={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
            isLoadingMore={query.isFetchingNextPage}
          />
        )}
      </QueryState>
      {isCreating && (
        <ModelDialog
          onSaved={(slug) => void navigate({ to: '/admin/models/$', params: { _splat: slug } as never })}
          onClose={() => setIsCreating(false)}
        />
      )}
    </Page>
  );
}
