import { Stack, Text } from '@mantine/core';
import { type Schemas } from '../../api/console-api';
import { ErrorNotice } from '../../components/error-notice';
import { useServingTexts } from './admin-serving-texts';

interface Props {
  /** Undefined while the test runs. */
  result: Schemas['UpstreamTestResponse'] | undefined;
  error: unknown;
}

/** What the test of an upstream has found. */
export function TestResult({ result, error }: Props) {
  const t = useServingTexts();
  if (error) return <ErrorNotice error={error} />;
  if (!result) return <Text>{t('test.running')}</Text>;
  const { models, listing_error: listingError, call } = result;
  return (
    <Stack gap="xs">
      <Text>{listingError ?? t('test.models', { count: models.length })}</Text>
      {models.length > 0 && (
        <Text size="sm" c="dimmed">
          {models.join(', ')}
        </Text>
      )}
      <Text>
        {call === null
          ? t('test.call.none')
          : call.error === null
            ? t('test.call.ok', { model: call.model, milliseconds: call.milliseconds.toString() })
            : t('test.call.failed', { model: call.model, error: call.error })}
      </Text>
    </Stack>
  );
}
