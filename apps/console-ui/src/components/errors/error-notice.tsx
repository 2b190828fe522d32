import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { CircleAlert } from 'lucide-react';
import { toApiError } from '../../api/api-error';
import { useComponentTexts } from '../component-texts';
import { useErrorMessage } from './use-error-message';

interface Props {
  error: unknown;
  onRetry?: () => void;
  /** Says what the error means here, where the page knows more than the status says. */
  message?: string;
}

/** An error with what to do about it and the request id. */
export function ErrorNotice({ error, onRetry, message }: Props) {
  const t = useComponentTexts();
  const messageOf = useErrorMessage();
  const apiError = toApiError(error);
  const { requestId } = apiError;
  return (
    <Alert role="alert" color="red" variant="light" icon={<CircleAlert size={18} />} title={t('error.title')}>
      <Stack gap="xs" align="flex-start">
        <Text size="md">{message ?? messageOf(apiError)}</Text>
        {/* What the page explains needs no support. */}
        {requestId && message === undefined && (
          <Text size="sm" c="dimmed">
            {t('error.requestId')} <Code>{requestId}</Code>
          </Text>
        )}
        {onRetry && (
          <Group>
            <Button size="xs" variant="default" onClick={onRetry}>
              {t('error.retry')}
            </Button>
          </Group>
        )}
      </Stack>
    </Alert>
  );
}
