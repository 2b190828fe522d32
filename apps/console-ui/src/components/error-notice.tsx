import { Alert, Anchor, Button, Code, Group, Stack, Text } from '@mantine/core';
import { type UseFormReturnType } from '@mantine/form';
import { Link } from '@tanstack/react-router';
import { CircleAlert } from 'lucide-react';
import { type ApiError, toApiError } from '../api/api-error';
import { useKnownSite } from '../api/site';
import { PAYMENT_DECIMALS } from '../figures/typed-amount';
import { useComponentTexts } from './component-texts';
import { CopyButton } from './copy-button';

const PAYMENT_REQUIRED = 402;
const FAULT = 500;
const SUSPENDED = 'account_suspended';
const READ_ONLY = 'read_only_view';

interface Props {
  error: unknown;
  onRetry?: () => void;
  /** Says what the error means here, where the page knows more than the status says. */
  message?: string;
  /** Says what did not succeed. */
  title?: string;
}

/** An error with what to do about it and the request ID. */
export function ErrorNotice({ error, onRetry, message, title }: Props) {
  const t = useComponentTexts();
  const messageOf = useErrorMessage();
  const apiError = toApiError(error);
  const { requestId, status, code } = apiError;
  const isUnpaid = status === PAYMENT_REQUIRED;
  const missing = apiError.missingAmount?.roundedUpTo(PAYMENT_DECIMALS);
  return (
    <Alert
      role="alert"
      color="red"
      variant="light"
      icon={<CircleAlert size={18} />}
      title={title ?? t(code === READ_ONLY ? 'error.readOnly.title' : 'error.title')}
    >
      <Stack gap="xs" align="flex-start">
        <Text size="md">{message ?? messageOf(apiError)}</Text>
        {/* What the page explains needs no support. */}
        {message === undefined && <SupportFacts requestId={requestId} />}
        {message === undefined && !requestId && status === FAULT && <SupportLink />}
        {(isUnpaid || onRetry) && (
          <Group gap="xs">
            {isUnpaid && (
              <Button
                size="xs"
                renderRoot={(props) => (
                  <Link {...props} to="/top-up" search={missing ? { amount: missing.toString() } : {}} />
                )}
              >
                {t('error.topUp')}
              </Button>
            )}
            {onRetry && (
              <Button size="xs" variant="default" onClick={onRetry}>
                {t('error.retry')}
              </Button>
            )}
          </Group>
        )}
      </Stack>
    </Alert>
  );
}

/** What support needs to know of an error, and the way to support: for a place where a whole notice has no room. */
export function SupportFacts({ requestId }: { requestId: string | undefined }) {
  const t = useComponentTexts();
  if (!requestId) return null;
  return (
    // The message of a field is a paragraph, which may hold no blocks.
    <Group component="span" gap={4}>
      <Text span size="sm" c="dimmed">
        {t('error.requestId')} <Code>{requestId}</Code>
      </Text>
      <CopyButton value={requestId} label={t('error.copyRequestId')} />
      <SupportLink />
    </Group>
  );
}

/** Leads to support, if the operator has said where that is. */
export function SupportLink() {
  const t = useComponentTexts();
  const support = useKnownSite()?.links.support;
  return support ? (
    <Anchor href={support} size="sm">
      {t('error.support')}
    </Anchor>
  ) : null;
}

/**
 * Shows the messages of the service at the fields that it names. Returns the error if it concerns no field of the form, and
 * otherwise undefined.
 */
export function showFieldErrors<Values extends object>(
  form: UseFormReturnType<Values>,
  thrown: unknown,
): unknown {
  const messages = Object.entries(toApiError(thrown).fieldMessages).filter(
    ([name]) => name in form.getValues(),
  );
  if (messages.length === 0) return thrown;
  form.setErrors(Object.fromEntries(messages));
  return undefined;
}

/** Says what went wrong and what to do, in the language of the pages. */
export function useErrorMessage(): (error: ApiError) => string {
  const t = useComponentTexts();
  return ({ status, code, detail, retryAfterSeconds }) => {
    if (code === SUSPENDED) return t('error.suspended');
    if (code === READ_ONLY) return t('error.readOnly');
    switch (status) {
      case 0:
        return t('error.offline');
      case PAYMENT_REQUIRED:
        return t('error.payment');
      case 403:
        return t('error.forbidden');
      case 404:
        return t('error.notFound');
      case 429:
        return retryAfterSeconds ? t('error.tooMany', { count: retryAfterSeconds }) : t('error.tooManyNow');
      default:
        if (status < 500) return t('error.refused', { detail });
        return t(status >= 502 ? 'error.unavailable' : 'error.fault');
    }
  };
}
