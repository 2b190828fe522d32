import { Anchor, Group, Modal, Skeleton, Stack, Text } from '@mantine/core';
import { useDisclosure, useIntersection } from '@mantine/hooks';
import { useQueries } from '@tanstack/react-query';
import { toApiError } from '../../../api/api-error';
import { useConsoleApi } from '../../../api/console-api';
import { Amount } from '../../../figures/amount';
import { Figure } from '../../../figures/figure';
import { Quantity } from '../../../figures/quantity';
import { requestCostQuery, type RequestDetail } from '../request-queries';
import { useRequestTexts } from '../request-texts';
import { CostExplanation } from './cost-explanation';

/** How far below the screen an answer is when its cost is read, so that scrolling shows it at once. */
const AHEAD = '400px';

/** Tokens and exact cost of calls together, as the request log has them. They are read shortly before they come into sight. */
export function CallsCost({ requestIds }: { requestIds: string[] }) {
  const api = useConsoleApi();
  const { ref, entry } = useIntersection<HTMLDivElement>({ rootMargin: AHEAD });
  const results = useQueries({
    queries: requestIds.map((id) => ({
      ...requestCostQuery(api, id),
      enabled: entry?.isIntersecting ?? false,
    })),
  });
  const found = results.flatMap(({ data }) => (data ? [data] : []));
  const errors = results.flatMap(({ data, error }) => (error && !data ? [error] : []));
  return (
    <div ref={ref}>
      {found.length + errors.length < results.length ? (
        <Skeleton height={20} width="60%" />
      ) : (
        <Sum calls={found} isUnknown={errors.some((error) => toApiError(error).status !== 404)} />
      )}
    </div>
  );
}

/** A call that is not in the log was not charged. */
function Sum({ calls, isUnknown }: { calls: RequestDetail[]; isUnknown: boolean }) {
  const t = useRequestTexts();
  const [first] = calls;
  if (!first || isUnknown)
    return (
      <Text size="sm" c="dimmed">
        {t(isUnknown ? 'cost.unknown' : 'cost.none')}
      </Text>
    );
  return (
    <Group gap="md">
      <Text size="sm" c="dimmed">
        {t('tokens.in')} <Quantity value={Figure.sum(calls.map(({ input_tokens: tokens }) => tokens))} />
      </Text>
      <Text size="sm" c="dimmed">
        {t('tokens.out')} <Quantity value={Figure.sum(calls.map(({ output_tokens: tokens }) => tokens))} />
      </Text>
      <Text size="sm" c="dimmed">
        {t('column.cost')}{' '}
        <Amount value={Figure.sum(calls.map(({ cost }) => cost))} currency={first.currency} />
      </Text>
      <WhyThisCost calls={calls} />
    </Group>
  );
}

/** Opens the explanation of the cost of calls over the page on which it is shown. */
function WhyThisCost({ calls }: { calls: RequestDetail[] }) {
  const t = useRequestTexts();
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Anchor component="button" type="button" size="sm" onClick={open}>
        {t('why')}
      </Anchor>
      <Modal
        opened={isOpen}
        onClose={close}
        size="lg"
        title={t('why.calls', { count: calls.length })}
        closeButtonProps={{ 'aria-label': t('why.close') }}
      >
        <Stack gap="xl">
          {calls.map((call) => (
            <Stack key={call.id} gap="xs">
              <Text size="sm" c="dimmed">
                {t('id')}{' '}
                <Text span inherit className="figure">
                  {call.id}
                </Text>
              </Text>
              <CostExplanation request={call} />
            </Stack>
          ))}
        </Stack>
      </Modal>
    </>
  );
}
