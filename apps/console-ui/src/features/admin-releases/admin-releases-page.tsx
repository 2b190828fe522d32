import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useConsoleApi } from '../../api/console-api';
import { EmptyState } from '../../components/empty-state';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { FollowedTable } from './followed-table';
import { ReleaseActionDialog } from './release-action-dialog';
import { ReleaseDialog } from './release-dialog';
import { type AdminRelease, releasesQuery } from './release-queries';
import { type ReleaseAction, ReleaseTable } from './release-table';
import { useAdminReleasesTexts } from './texts/admin-releases-texts';

export function AdminReleasesPage() {
  const t = useAdminReleasesTexts();
  const query = useInfiniteQuery(releasesQuery(useConsoleApi()));
  const [isCreating, setIsCreating] = useState(false);
  const [act, setAct] = useState<{ action: ReleaseAction; release: AdminRelease }>();
  const createButton = (
    <Button leftSection={<Plus size={16} />} onClick={() => setIsCreating(true)}>
      {t('create')}
    </Button>
  );
  return (
    <Page title={t('title')} description={t('description')} actions={createButton}>
      <QueryState
        query={query}
        isEmpty={({ pages }) => pages.every(({ releases }) => releases.length === 0)}
        empty={<EmptyState title={t('empty.title')}>{t('empty.text')}</EmptyState>}
      >
        {({ pages }) => (
          <ReleaseTable
            releases={pages.flatMap(({ releases }) => releases)}
            onAct={(action, release) => setAct({ action, release })}
            onMore={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
            isLoadingMore={query.isFetchingNextPage}
          />
        )}
      </QueryState>
      <FollowedTable />
      {isCreating && <ReleaseDialog onClose={() => setIsCreating(false)} />}
      {act && <ReleaseActionDialog {...act} onClose={() => setAct(undefined)} />}
    </Page>
  );
}
