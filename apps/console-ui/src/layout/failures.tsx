import { Button, Skeleton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Component, type ReactNode } from 'react';
import { ApiError } from '../api/api-error';
import { EmptyState } from '../components/empty-state';
import { ErrorNotice } from '../components/error-notice';
import { useIsWaitingForSite, useReloadOnceFor } from '../components/lazy-file';
import { usePageTitle } from '../components/page-title';
import { useLayoutTexts } from './layout-texts';

/**
 * Stands in place of a page that threw an error: a service that cannot be reached, a file of an older version of the
 * console that is no longer there, or a fault of the page.
 */
export function FailedPage({ error, reset }: { error: unknown; reset?: () => void }) {
  const t = useLayoutTexts();
  if (useReloadOnceFor(error)) return <Skeleton height={WAITING_PIXELS} aria-busy />;
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

/** Stands in place of a page whose file is being loaded, or cannot be because the site is not reached. */
export function WaitingPage() {
  const t = useLayoutTexts();
  const isWaiting = useIsWaitingForSite();
  return (
    <div role="status">
      {isWaiting ? (
        <EmptyState headingLevel={1} title={t('waiting.title')}>
          {t('waiting.text')}
        </EmptyState>
      ) : (
        <Skeleton height={WAITING_PIXELS} aria-busy />
      )}
    </div>
  );
}

const WAITING_PIXELS = 240;

interface Props {
  onReset: () => void;
  children: ReactNode;
}

/** Catches what is thrown outside of all pages. */
export class FailureBoundary extends Component<Props, { error?: unknown }> {
  override state: { error?: unknown } = {};

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    if (this.state.error === undefined) return this.props.children;
    const retry = () => {
      this.props.onReset();
      this.setState({ error: undefined });
    };
    return <FailedPage error={this.state.error} reset={retry} />;
  }
}

export function NotFoundPage() {
  const t = useLayoutTexts();
  usePageTitle(t('notFound.title'));
  return (
    <EmptyState
      headingLevel={1}
      title={t('notFound.title')}
      action={
        <Button component={Link} to="/">
          {t('notFound.home')}
        </Button>
      }
    >
      {t('notFound.text')}
    </EmptyState>
  );
}
