import { Alert, Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useAccount } from '../../session/account';
import classes from './admin-pricing.module.css';
import { type LineUnit } from './lines/price-line';
import { NewLineForm } from './new-line-form';
import { type PriceKind, type PriceList } from './price-list-queries';
import { PriceTable } from './price-table';
import { ReviewDialog } from './review/review-dialog';
import { useAdminPricingTexts } from './texts/admin-pricing-texts';
import { usePriceDraft } from './use-price-draft';

/** The lines that a list always has. */
const FIXED_UNITS: Record<PriceKind, readonly LineUnit[]> = {
  models: [],
  gpus: [],
  training: ['training_tokens', 'training_hour'],
};

/** Changes a list. Nothing is published before its differences were shown. */
export function PriceEditor({
  kind,
  list,
  onPublished,
}: {
  kind: PriceKind;
  list: PriceList;
  onPublished: () => void;
}) {
  const t = useAdminPricingTexts();
  const { data: account } = useAccount();
  const draft = usePriceDraft(list, FIXED_UNITS[kind], `prices-${kind}-${account?.id}`);
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
      {kind !== 'training' && <NewLineForm kind={kind} draft={draft} />}
      <Paper withBorder shadow="sm" p="sm" className={classes.bar}>
        <Group justify="space-between">
          <Text role="status">{count > 0 ? t('changes', { count }) : t('changes.none')}</Text>
          <Button onClick={() => setIsReviewing(true)} disabled={count === 0 || !draft.isValid}>
            {t('review')}
          </Button>
        </Group>
      </Paper>
      {isReviewing && (
        <ReviewDialog
          kind={kind}
          draft={draft}
          onPublished={onPublished}
          onClose={() => setIsReviewing(false)}
        />
      )}
    </Stack>
  );
}
