import { Anchor, Code, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { CopyButton } from '../../components/copy-button';
import { type Column, DataTable } from '../../components/data-table';
import { SupportFacts } from '../../components/error-notice';
import { Fact, Facts } from '../../components/facts';
import { MiddleCut } from '../../components/middle-cut';
import { Amount, Quantity } from '../../figures/figure-text';
import { formatNumber } from '../../figures/format-figure';
import { ShortAmount } from '../../figures/short-amount';
import { useLanguage } from '../../language/language';
import { Time } from '../../time/time';
import { useEntrypointName } from '../usage/usage-queries';
import { CostExplanation, Duration, OutcomeBadge } from './request-parts';
import { type LoggedRequest, type RequestDetail } from './request-queries';
import { useRequestTexts } from './request-texts';

interface RequestTableProps {
  label: string;
  /** The page of a call. */
  pathOf: (id: string) => string;
  requests: LoggedRequest[];
  onMore: (() => void) | undefined;
  isLoadingMore: boolean;
}

/** The calls of an account, the served, refused and failed ones. */
export function RequestTable({ label, pathOf, requests, onMore, isLoadingMore }: RequestTableProps) {
  const t = useRequestTexts();
  const entrypointName = useEntrypointName();
  const columns: Column<LoggedRequest>[] = [
    {
      key: 'time',
      title: t('column.time'),
      cell: ({ id, created_at }) => (
        <Anchor component={Link} to={pathOf(id)} inherit className="figure">
          <Time value={created_at} detail="second" />
        </Anchor>
      ),
    },
    {
      key: 'outcome',
      title: t('column.outcome'),
      place: 'status',
      cell: ({ outcome }) => <OutcomeBadge outcome={outcome} />,
    },
    {
      key: 'cost',
      title: t('column.cost'),
      isNumber: true,
      place: 'figure',
      cell: ({ cost, currency }) => <ShortAmount value={cost} currency={currency} />,
    },
    {
      key: 'model',
      title: t('column.model'),
      place: 'status',
      cell: ({ model, upstream }) => (
        <>
          {model === null ? (
            '–'
          ) : (
            <Code display="inline-flex" maw="100%">
              <MiddleCut text={model} width="10rem" />
            </Code>
          )}
          {upstream && (
            <Text size="sm" c="dimmed" title={t('upstream')}>
              <MiddleCut text={upstream} width="10rem" />
            </Text>
          )}
        </>
      ),
    },
    {
      key: 'key',
      title: t('column.key'),
      cell: ({ api_key: key, entrypoint }) => (
        <>
          <Text span inherit c={key ? undefined : 'dimmed'}>
            {key ? <MiddleCut text={key.name} width="8rem" /> : t('noKey')}
          </Text>
          <Text size="sm" c="dimmed" title={t('column.source')}>
            {entrypointName(entrypoint)}
          </Text>
        </>
      ),
    },
    {
      key: 'tokens',
      title: t('column.tokens'),
      isNumber: true,
      cell: ({ status, input_tokens: input, output_tokens: output }) =>
        status === 'charged' ? (
          <>
            <Quantity value={input} /> / <Quantity value={output} />
          </>
        ) : (
          '–'
        ),
    },
    {
      key: 'duration',
      title: t('column.times'),
      isNumber: true,
      cell: ({ time_to_first_token_ms: firstToken, duration_ms: duration }) => (
        <>
          {firstToken && (
            <>
              <Duration value={firstToken} /> /{' '}
            </>
          )}
          <Duration value={duration} />
        </>
      ),
    },
    {
      key: 'reason',
      title: t('column.reason'),
      cell: ({ finish_reason: reason, error_code: code }) => {
        const text = reason ?? code;
        return text === null ? (
          '–'
        ) : (
          <Code display="inline-flex" maw="100%">
            <MiddleCut text={text} width="9rem" />
          </Code>
        );
      },
    },
  ];
  return (
    <DataTable
      label={label}
      columns={columns}
      rows={requests}
      keyOf={({ id }) => id}
      onMore={onMore}
      isLoadingMore={isLoadingMore}
    />
  );
}

/** One call with what its cost is made of, or why it was not served. `isOwn`: of the account that looks, which is led to what helps. */
export function RequestView({ request, isOwn = false }: { request: RequestDetail; isOwn?: boolean }) {
  return (
    <Stack gap="lg">
      <RequestFacts request={request} />
      {request.status === 'charged' ? (
        <CostExplanation request={request} />
      ) : (
        <ErrorExplanation request={request} isOwn={isOwn} />
      )}
    </Stack>
  );
}

function RequestFacts({ request }: { request: RequestDetail }) {
  const t = useRequestTexts();
  const entrypointName = useEntrypointName();
  const { id, model, api_key: key, entrypoint, endpoint, outcome, currency } = request;
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
        <Fact name={t('endpoint')}>
          <Code>{endpoint}</Code>
        </Fact>
        {request.status === 'charged' && <AnswerFacts request={request} />}
        {request.http_status && (
          <Fact name={t('httpStatus')}>
            <Code>{request.http_status.toString()}</Code>
          </Fact>
        )}
        {request.upstream && (
          <Fact name={t('upstream')}>
            <Code>{request.upstream}</Code>
          </Fact>
        )}
        {request.time_to_first_byte_ms && (
          <Fact name={t('firstByte')}>
            <Duration value={request.time_to_first_byte_ms} />
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
        {request.client_request_id !== null && (
          <Fact name={t('clientId')}>
            <Group gap={4} wrap="nowrap">
              <Code>{request.client_request_id}</Code>
              <CopyButton value={request.client_request_id} />
            </Group>
          </Fact>
        )}
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
        {request.usage_fault && (
          <Text size="sm" c="dimmed">
            {t(`fault.${request.usage_fault}`)}
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

/** The codes that the pages explain, and the page that helps, if there is one. */
const HELP = {
  insufficient_balance: '/top-up',
  key_spend_limit_reached: '/keys',
  model_not_found: '/models',
  model_not_allowed: '/keys',
  invalid_json: undefined,
  invalid_value: undefined,
  invalid_header: undefined,
  invalid_request: undefined,
  reserved_entrypoint: undefined,
  request_too_large: undefined,
  unsupported_media_type: undefined,
  rate_limit_exceeded: '/limits',
  upstream_busy: undefined,
  account_suspended: undefined,
  api_key_suspended: '/keys',
  upstream_refused: undefined,
  upstream_error: undefined,
  upstream_timeout: undefined,
  billing_unavailable: undefined,
  exchange_rate_missing: undefined,
  database_unavailable: undefined,
  busy: undefined,
  internal_error: undefined,
} as const;
type KnownCode = keyof typeof HELP;

/** Whose texts ask to contact support. */
const FOR_SUPPORT: readonly string[] = [
  'upstream_error',
  'exchange_rate_missing',
  'internal_error',
  'other_failed',
];

const isKnown = (code: string): code is KnownCode => Object.hasOwn(HELP, code);

/** What the error code of a refused or failed call means, and what to do. */
function ErrorExplanation({ request, isOwn }: { request: RequestDetail; isOwn: boolean }) {
  const t = useRequestTexts();
  const { id, error_code: code, status } = request;
  if (code === null) return null;
  const known = isKnown(code) ? code : status === 'failed' ? 'other_failed' : 'other_refused';
  const page = isOwn && isKnown(code) ? HELP[code] : undefined;
  return (
    <Paper withBorder p="lg" component="section" aria-label={t('error')}>
      <Stack gap="xs">
        <Title order={2} fz="md">
          {t('error')} <Code>{code}</Code>
        </Title>
        <Text size="md">{t(`error.${known}`)}</Text>
        <Text size="md" c="dimmed">
          {t(`error.${known}.do`)}
        </Text>
        {isOwn && FOR_SUPPORT.includes(known) && <SupportFacts requestId={id} />}
        {page && (
          <Text size="md">
            <Anchor component={Link} to={page} inherit>
              {t(`error.page.${page}`)}
            </Anchor>
          </Text>
        )}
      </Stack>
    </Paper>
  );
}
