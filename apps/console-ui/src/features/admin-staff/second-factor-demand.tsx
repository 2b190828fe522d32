import { Button, Group, Text } from '@mantine/core';
import { useAccount } from '../../api/account';
import { Page } from '../../components/page';
import { SecondFactor } from '../settings/second-factor';
import { useStaffTexts } from './staff-texts';

/** Stands in the place of every page for staff that must set a second factor up. It stays until the recovery codes are kept. */
export default function SecondFactorDemand({ onDone }: { onDone: () => void }) {
  const t = useStaffTexts();
  const account = useAccount().data;
  if (!account) return null;
  return (
    <Page title={t('demand.title')} width="narrow" description={t('demand.text')}>
      <SecondFactor account={account} />
      {!account.second_factor_required && (
        <Group>
          <Text size="md">{t('demand.done')}</Text>
          <Button onClick={onDone}>{t('demand.continue')}</Button>
        </Group>
      )}
    </Page>
  );
}
