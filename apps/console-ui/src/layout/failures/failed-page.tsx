import { Button } from '@mantine/core';
import { ApiError } from '../../api/api-error';
import { EmptyState } from '../../components/empty-state';
import { ErrorNotice } from '../../components/errors/error-notice';
import { useLayoutTexts } from '../layout-texts';

/**
 * Stands in place of a page that threw an error: a service that cannot be reached, a file of an older version of the
 * console that is no longer there, or a fault of the page.
 */
export function FailedPage({ error, reset }: { error: unknown; reset?: () => void }) {
  const t = useLayoutTexts();
  if (error instanceof ApiError) return <ErrorNotice error={error} onRetry={reset ?? reload} />;
  return (
    <EmptyState
      headingLevel={1}
      title={t('failed.title')}
      action={<Button onClick={reload}>{t('failed.reload')}</Button>}
    >
      {t('failed.text')}
    </EmptyState>
  );
}

const reload = () => window.location.reload();
