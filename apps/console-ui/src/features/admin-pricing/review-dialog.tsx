import { Alert, Badge, Button, Checkbox, Group, List, Modal, Stack, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { toApiError } from '../../api/api-error';
import { useConsoleApi } from '../../api/console-api';
import { ErrorNotice } from '../../components/error-notice';
import { useRequestTexts } from '../requests/request-texts';
import { useAdminPricingTexts } from './admin-pricing-texts';
import { ChangeTable, useLineName } from './change-table';
import { isLargeChange, keyOfLine, type LineChange } from './price-line';
import {
  type BelowCost,
  newestListQuery,
  type PriceSource,
  useBelowCost,
  usePublishPrices,
} from './price-list-queries';
import { type PriceDraft } from './use-price-draft';

const CONFLICT = 409;
const MAX_REASON_CHARS = 500;
const MOST_BELOW_COST = 10;

interface Props {
  source: PriceSource;
  draft: PriceDraft;
  onPublished: () => void;
  onClose: () => void;
}

/**
 * Shows what will change and publishes it. If somebody else has published meanwhile, the changes are compared with their
 * list, and every price that both have changed is marked.
 */
export function ReviewDialog({ source, draft, onPublished, onClose }: Props) {
  const t = useAdminPricingTexts();
  const api = useConsoleApi();
  const queryClient = useQueryClient();
  const nameOf = useLineName();
  const publication = usePublishPrices(source);
  const [failure, setFailure] = useState<unknown>();
  const [reason, setReason] = useState('');
  const [isChecked, setIsChecked] = useState(false);
  const { changes, after, base, conflicts } = draft;
  const belowCost = useBelowCost(source, draft);
  const large = changes.filter(isLargeChange).length;

  const rebase = async () => {
    const theirs = await queryClient.fetchQuery({ ...newestListQuery(api, source), staleTime: 0 });
    draft.rebase(theirs);
  };
  const publish = () => {
    setFailure(undefined);
    publication.mutate(
      { base, changes, after, reason: reason.trim() },
      {
        onSuccess: () => {
          draft.forget();
          notifications.show({ message: t('review.done') });
          onPublished();
        },
        onError: (error) => {
          if (toApiError(error).status === CONFLICT) rebase().catch(setFailure);
          else setFailure(error);
        },
      },
    );
  };
  const actionOf = (change: LineChange) => (
    <Button
      size="compact-sm"
      variant="default"
      aria-label={t('review.drop.named', { name: nameOf(change) })}
      onClick={() => draft.undo(keyOfLine(change))}
    >
      {t('review.drop')}
    </Button>
  );
  const markOf = (change: LineChange) => (
    <>
      {isLargeChange(change) && (
        <Badge miw="max-content" variant="light" color="red" tt="none">
          {t('large.mark')}
        </Badge>
      )}
      {conflicts?.has(keyOfLine(change)) && (
        <Badge miw="max-content" variant="light" color="orange" tt="none">
          {t('conflict.mark')}
        </Badge>
      )}
    </>
  );
  return (
    <Modal opened onClose={onClose} size="xl" title={t('review.title')} closeOnClickOutside={false}>
      <Stack>
        {failure !== undefined && <ErrorNotice error={failure} />}
        {failure === undefined && belowCost.error && <ErrorNotice error={belowCost.error} />}
        {conflicts && (
          <Alert role="alert" color="orange" variant="light" title={t('conflict.title')}>
            {conflicts.size > 0 ? t('conflict.both', { count: conflicts.size }) : t('conflict.none')}
          </Alert>
        )}
        {changes.length > 0 ? (
          <ChangeTable label={t('review.title')} changes={changes} markOf={markOf} actionOf={actionOf} />
        ) : (
          <Text>{t('review.nothing')}</Text>
        )}
        {belowCost.data && <BelowCostAlert found={belowCost.data} />}
        <TextInput
          label={t('review.reason')}
          description={t('review.reason.hint')}
          maxLength={MAX_REASON_CHARS}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        {large > 0 && (
          <Checkbox
            label={t('large.check', { count: large })}
            checked={isChecked}
            onChange={(event) => setIsChecked(event.currentTarget.checked)}
          />
        )}
        <Text c="dimmed">{t(`review.effect.${source.kind}`)}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {t('review.back')}
          </Button>
          <Button
            onClick={publish}
            loading={publication.isPending}
            disabled={changes.length === 0 || (large > 0 && !isChecked)}
          >
            {t('review.publish')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** Names the prices that would be below what an upstream takes. */
function BelowCostAlert({ found }: { found: readonly BelowCost[] }) {
  const t = useAdminPricingTexts();
  const requestText = useRequestTexts();
  if (found.length === 0) return null;
  return (
    <Alert role="alert" color="orange" variant="light" title={t('belowCost.title')}>
      <List size="sm">
        {found.slice(0, MOST_BELOW_COST).map(({ slug, unit, upstream, meter }) => (
          <List.Item key={`${slug} ${unit} ${upstream}`}>
            {t('belowCost.one', {
              price: `${slug} · ${t(`unit.${unit}`)}`,
              upstream,
              meter: requestText(`meter.${meter}`),
            })}
          </List.Item>
        ))}
      </List>
      {found.length > MOST_BELOW_COST && (
        <Text size="sm">{t('belowCost.more', { count: found.length - MOST_BELOW_COST })}</Text>
      )}
    </Alert>
  );
}
