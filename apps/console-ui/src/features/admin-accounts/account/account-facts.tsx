import { Anchor, Code, Paper, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Fact, Facts } from '../../../components/facts';
import { Amount } from '../../../figures/amount';
import { Time } from '../../../time/time';
import { type Account } from '../account-queries';
import { useAdminAccountTexts } from '../texts/admin-account-texts';

export function AccountFacts({ account }: { account: Account }) {
  const t = useAdminAccountTexts();
  return (
    <Paper withBorder p="lg" component="section" aria-label={t('details')}>
      <Facts>
        <Fact name={t('balance')}>
          <Text span inherit fw={600}>
            <Amount value={account.balance} currency={account.currency} />
          </Text>
        </Fact>
        <Fact name={t('role')}>{t(`role.${account.role}`)}</Fact>
        <Fact name={t('email')}>
          {account.email} ({t(account.email_verified ? 'email.verified' : 'email.unverified')})
        </Fact>
        <Fact name={t('phone')}>{account.phone ?? t('none')}</Fact>
        <Fact name={t('username')}>{account.username ?? t('none')}</Fact>
        <Fact name={t('secondFactor')}>
          {t(account.two_factor_enabled ? 'secondFactor.on' : 'secondFactor.off')}
        </Fact>
        <Fact name={t('created')}>
          <Time value={account.created_at} />
        </Fact>
        <Fact name={t('id')}>
          <Code>{account.id}</Code>
        </Fact>
      </Facts>
      <Anchor component={Link} to={`/admin/events?account=${account.id}`} display="inline-block" mt="md">
        {t('events.all')}
      </Anchor>
    </Paper>
  );
}
