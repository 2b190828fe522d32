import { Anchor, Code, Paper, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type RequestDetail } from './request-queries';
import { useRequestTexts } from './request-texts';

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
  rate_limit_exceeded: undefined,
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

const isKnown = (code: string): code is KnownCode => Object.hasOwn(HELP, code);

/** What the error code of a refused or failed call means, and what to do. */
export function ErrorExplanation({ request }: { request: RequestDetail }) {
  const t = useRequestTexts();
  const { error_code: code, status } = request;
  if (code === null) return null;
  const known = isKnown(code) ? code : status === 'failed' ? 'other_failed' : 'other_refused';
  const page = isKnown(code) ? HELP[code] : undefined;
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
