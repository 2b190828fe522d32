import { Anchor, Badge } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { bodyOf, type ConsoleApi, type Schemas, useConsoleApi } from '../../api/console-api';
import { AS_CSV, CsvButton } from '../../components/csv-button';
import { type Column, DataTable } from '../../components/data-table';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { Time } from '../../time/time';
import { useAdminAccountTexts } from '../admin-accounts/admin-account-texts';
import { useStaffTexts } from './staff-texts';

type Member = Schemas['StaffMemberResponse'];

const staffQuery = (api: ConsoleApi) =>
  queryOptions({
    queryKey: ['admin-staff'],
    queryFn: async ({ signal }) => (await bodyOf(api.GET('/api/admin/staff', { signal }))).staff,
    staleTime: 0,
  });

/** Who is staff, since when, and when they were here last. */
export function StaffPage() {
  const t = useStaffTexts();
  const api = useConsoleApi();
  const query = useQuery(staffQuery(api));
  return (
    <Page
      title={t('title')}
      description={t('description')}
      actions={<CsvButton fileName="staff.csv" read={() => api.GET('/api/admin/staff', AS_CSV)} />}
    >
      <QueryState query={query}>{(staff) => <StaffTable staff={staff} />}</QueryState>
    </Page>
  );
}

function StaffTable({ staff }: { staff: Member[] }) {
  const [t, accountText] = [useStaffTexts(), useAdminAccountTexts()];
  const columns: Column<Member>[] = [
    {
      key: 'person',
      title: t('person'),
      place: 'title',
      cell: ({ id, email }) => (
        <Anchor component={Link} to={`/admin/accounts/${id}`} inherit translate="no">
          {email}
        </Anchor>
      ),
    },
    { key: 'role', title: t('role'), place: 'status', cell: ({ role }) => accountText(`role.${role}`) },
    { key: 'since', title: t('since'), cell: ({ since }) => <Time value={since} /> },
    {
      key: 'givenBy',
      title: t('givenBy'),
      cell: ({ given_by: by, provider }) =>
        by ?? (provider === null ? t('givenBy.command') : t('givenBy.provider', { provider })),
    },
    {
      key: 'secondFactor',
      title: t('secondFactor'),
      cell: ({ second_factor: factor }) =>
        factor === null ? (
          <Badge color="red" variant="light" tt="none">
            {t('secondFactor.none')}
          </Badge>
        ) : (
          t(`secondFactor.${factor}`)
        ),
    },
    {
      key: 'lastUsed',
      title: t('lastUsed'),
      cell: ({ last_used_at: at }) => (at === null ? t('never') : <Time value={at} />),
    },
  ];
  return <DataTable label={t('title')} columns={columns} rows={staff} keyOf={({ id }) => id} />;
}
