import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { EmptyState } from '../../components/empty-state';
import { usePageTitle } from '../../components/use-page-title';
import { useLayoutTexts } from '../layout-texts';

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
