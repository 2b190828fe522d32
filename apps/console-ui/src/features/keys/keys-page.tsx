import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useConsoleApi } from '../../api/console-api';
import { EmptyState } from '../../components/empty-state';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { KeyCreation } from './creation/key-creation';
import { DeleteKeyDialog } from './delete-key-dialog';
import { EditKeyDialog } from './edit-key-dialog';
import { type ApiKey, keysQuery } from './key-queries';
import { KeyTable } from './key-table';
import { useKeyTexts } from './texts/key-texts';

export function KeysPage() {
  const t = useKeyTexts();
  const query = useQuery(keysQuery(useConsoleApi()));
  const [isCreating, setIsCreating] = useState(false);
  const [edited, setEdited] = useState<ApiKey>();
  const [deleted, setDeleted] = useState<ApiKey>();
  const createButton = (
    <Button leftSection={<Plus size={16} />} onClick={() => setIsCreating(true)}>
      {t('create')}
    </Button>
  );
  return (
    <Page
      title={t('title')}
      description={t('description')}
      actions={query.data?.length ? createButton : null}
    >
      <QueryState
        query={query}
        isEmpty={(keys) => keys.length === 0}
        empty={
          <EmptyState title={t('empty.title')} action={createButton}>
            {t('empty.text')}
          </EmptyState>
        }
      >
        {(keys) => <KeyTable keys={keys} onEdit={setEdited} onDelete={setDeleted} />}
      </QueryState>
      {isCreating && <KeyCreation onClose={() => setIsCreating(false)} />}
      {edited && <EditKeyDialog apiKey={edited} onClose={() => setEdited(undefined)} />}
      {deleted && <DeleteKeyDialog apiKey={deleted} onClose={() => setDeleted(undefined)} />}
    </Page>
  );
}
