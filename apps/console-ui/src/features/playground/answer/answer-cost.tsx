import { Group, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { toApiError } from '../../../api/api-error';
import { useConsoleApi } from '../../../api/console-api';
import { Amount } from '../../../figures/amount';
import { Quantity } from '../../../figures/quantity';
import { WhyThisCost } from '../../requests/why-this-cost';
import { requestCostQuery } from '../playground-queries';
import { usePlaygroundTexts } from '../texts/playground-texts';

/** Tokens and exact cost of a call, as the ledger has them. */
export function AnswerCost({ requestId }: { requestId: string }) {
  const t = usePlaygroundTexts();
  const { data, error } = useQuery(requestCostQuery(useConsoleApi(), requestId));
  if (error && !data)
    return (
      <Text size="sm" c="dimmed">
        {t(toApiError(error).status === 404 ? 'cost.none' : 'cost.unknown')}
      </Text>
    );
  if (!data) return <Skeleton height={20} width="60%" />;
  return (
    <Group gap="md">
      <Text size="sm" c="dimmed">
        {t('tokens.in')} <Quantity value={data.input_tokens} />
      </Text>
      <Text size="sm" c="dimmed">
        {t('tokens.out')} <Quantity value={data.output_tokens} />
      </Text>
      <Text size="sm" c="dimmed">
        {t('cost')} <Amount value={data.cost} currency={data.currency} />
      </Text>
      <WhyThisCost requestId={requestId} />
    </Group>
  );
}
