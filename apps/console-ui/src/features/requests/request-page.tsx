import { Anchor, Code, Group, Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useConsoleApi } from '../../api/console-api';
import { CopyButton } from '../../components/copy-button';
import { Fact, Facts } from '../../components/facts';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { Amount, Quantity } from '../../figures/figure-text';
import { formatNumber } from '../../figures/format-figure';
import { useLanguage } from '../../language/language-context';
import { Time } from '../../time/time';
import { useEntrypointName } from '../usage/usage-queries';
import { ErrorExplanation } from './error-explanation';
import { CostExplanation, Duration, OutcomeBadge } from './request-parts';
import { type RequestDetail, requestQuery } from './request-queries';
import { useRequestTexts } from './request-texts';

export function RequestPage() {
  const t = useRequestTexts();
  const { requestId } = useParams({ from: '/console/requests/$requestId' });
  const query = useQuery(requestQuery(useConsoleApi(), requestId));
  return (
    <Page
      title={t('request')}
      description={
        <Anchor component={Link} to="/requests" inherit>
          {t('back')}
        </Anchor>
      }
    >
      <QueryState query={query}>
        {(request) => (
          <Stack gap="lg">
            <RequestFacts request={request} />
            {request.status === 'charged' ? (
              <CostExplanation request={request} />
            ) : (
              <ErrorExplanation request={request} />
            )}
          </Stack>
        )}
      </QueryState>
    </Page>
  );
}

function RequestFacts({ request }: { request: RequestDetail }) {
  const t = useRequestTexts();
  const entrypointName = useEntrypointName();
  const { id, model, api_key: key, entrypoint, outcome, currency } = request;
  return (
    <Paper withBorder p="lg" component="section" aria-label={t('facts')}>
      <Facts>
        <Fact name={t('column.cost')}>
          <Text span inherit fw={600}>
            <Amount value={request.cost} currency={currency} />
          </Text>
        </Fact>
        <Fact name={t('column.outcome')}>
          <Stack gap={4} align="flex-start">
            <OutcomeBadge outcome={outcome} />
            <Text size="sm" c="dimmed">
              {t(`outcome.${outcome}.text`)}
            </Text>
          </Stack>
        </Fact>
        <Fact name={t('column.model')}>{model === null ? t('noModel') : <Code>{model}</Code>}</Fact>
        <Fact name={t('column.key')}>{key ? `${key.name} (${key.prefix}…)` : t('noKey')}</Fact>
        <Fact name={t('column.source')}>{entrypointName(entrypoint)}</Fact>
        {request.status === 'charged' && <AnswerFacts request={request} />}
        {request.http_status && (
          <Fact name={t('httpStatus')}>
            <Code>{request.http_status.toString()}</Code>
          </Fact>
        )}
        <Fact name={t('column.duration')}>
          <Duration value={request.duration_ms} />
        </Fact>
        <Fact name={t('started')}>
          <Time value={request.started_at} detail="second" />
        </Fact>
        <Fact name={t(request.status === 'charged' ? 'settled' : 'ended')}>
          <Time value={request.created_at} detail="second" />
        </Fact>
        <Fact name={t('id')}>
          <Group gap={4} wrap="nowrap">
            <Code>{id}</Code>
            <CopyButton value={id} />
          </Group>
        </Fact>
      </Facts>
    </Paper>
  );
}

/** What only an answer has. */
function AnswerFacts({ request }: { request: RequestDetail }) {
  const t = useRequestTexts();
  const { language } = useLanguage();
  const { time_to_first_token_ms: firstToken, tokens_per_second: speed, finish_reason: reason } = request;
  return (
    <>
      <Fact name={t('column.input')}>
        <Quantity value={request.input_tokens} />
      </Fact>
      <Fact name={t('column.output')}>
        <Quantity value={request.output_tokens} />
        {request.estimated && (
          <Text size="sm" c="dimmed">
            {t('estimated')}
          </Text>
        )}
      </Fact>
      {reason !== null && (
        <Fact name={t('column.reason')}>
          <Code>{reason}</Code>
        </Fact>
      )}
      {firstToken && (
        <Fact name={t('column.firstToken')}>
          <Duration value={firstToken} />
        </Fact>
      )}
      {speed && (
        <Fact name={t('speed')}>
          <span className="figure">{t('speed.value', { speed: formatNumber(speed, language) })}</span>
        </Fact>
      )}
    </>
  );
}
