import { Alert, Badge, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { type ReactNode } from 'react';
import { type Column, DataTable } from '../../components/data-table';
import { useServingTexts } from './admin-serving-texts';

/** A row of a review, in the language of the page. */
export interface ShownChange {
  key: string;
  setting: string;
  before: string;
  after: string;
  /** Whether somebody else has changed it since the form was opened. */
  isConflict: boolean;
}

interface Props {
  changes: ShownChange[];
  /** Whether somebody else has changed anything since the form was opened. */
  isRebased: boolean;
  isPending: boolean;
  onSave: () => void;
  onBack: () => void;
  /** What follows from the changes. */
  children?: ReactNode;
}

/** Shows what would change before it is saved. */
export function ReviewDialog({ changes, isRebased, isPending, onSave, onBack, children }: Props) {
  const t = useServingTexts();
  const columns: Column<ShownChange>[] = [
    {
      key: 'setting',
      title: t('review.setting'),
      cell: ({ setting, isConflict }) => (
        <Group gap="xs">
          <Text span inherit fw={500}>
            {setting}
          </Text>
          {isConflict && (
            <Badge miw="max-content" variant="light" color="orange" tt="none">
              {t('review.conflict.mark')}
            </Badge>
          )}
        </Group>
      ),
    },
    { key: 'before', title: t('review.before'), cell: ({ before }) => before },
    { key: 'after', title: t('review.after'), cell: ({ after }) => after },
  ];
  return (
    <Modal opened onClose={onBack} size="xl" title={t('review.title')} closeOnClickOutside={false}>
      <Stack>
        {isRebased && (
          <Alert role="alert" color="orange" variant="light" title={t('review.conflict.title')}>
            {t('review.conflict.text')}
          </Alert>
        )}
        {changes.length > 0 ? (
          <DataTable label={t('review.title')} columns={columns} rows={changes} keyOf={({ key }) => key} />
        ) : (
          <Text>{t('review.nothing')}</Text>
        )}
        {children}
        <Group justify="flex-end">
          <Button variant="default" onClick={onBack} data-autofocus>
            {t('review.back')}
          </Button>
          <Button onClick={onSave} loading={isPending} disabled={changes.length === 0}>
            {t('save')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
