import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useConsoleApi } from '../../api/console-api';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { requestQuery } from './request-queries';
import { useRequestTexts } from './request-texts';
import { RequestView } from './request-view';

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
      <QueryState query={query}>{(request) => <RequestView request={request} isOwn />}</QueryState>
    </Page>
  );
}
