import { Anchor, Code, Paper, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Amount } from '../../../figures/amount';
import { Time } from '../../../time/time';
import { type Account } from '../account-queries';
import { useAdminAccountTexts } from '../texts/admin-account-texts';
import classes from './account.module.css';

export function AccountFacts({ account }: { account: Account }) {
  const t = useAdminAccountTexts();
  return (
    <Paper withBorder p="lg" component="section" aria-label={t('details')}>
      <dl className={classes.facts}>
        <dt>{t('balance')}</dt>
        <dd>
          <Text span inherit fw={600}>
            <Amount value={account.balance} currency={account.currency} />
          </Text>
        </dd>
        <dt>{t('role')}</dt>
        <dd>{t(`role.${account.role}`)}</dd>
        <dt>{t('email')}</dt>
        <dd>
          {account.email} ({t(account.email_verified ? 'email.verified' : 'email.unverified')})
        </dd>
        <dt>{t('phone')}</dt>
        <dd>{account.phone ?? t('none')}</dd>
        <dt>{t('username')}</dt>
        <dd>{account.username ?? t('none')}</dd>
        <dt>{t('secondFactor')}</dt>
        <dd>{t(account.two_factor_enabled ? 'secondFactor.on' : 'secondFactor.off')}</dd>
        <dt>{t('created')}</dt>
        <dd>
          <Time value={account.created_at} />
        </dd>
        <dt>{t('id')}</dt>
        <dd>
          <Code>{account.id}</Code>
        </dd>
      </dl>
      <Anchor component={Link} to={`/admin/events?account=${account.id}`} display="inline-block" mt="md">
        {t('events.all')}
      </Anchor>
    </Paper>
  );
}
