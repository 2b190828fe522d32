import { Anchor, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useConsoleApi } from '../../api/console-api';
import { QueryState } from '../../components/query-state';
import { Amount } from '../../figures/amount';
import { formatPrice } from '../../figures/format-figure';
import { useLanguage } from '../../language/language-context';
import { settingsQuery } from '../wallet/wallet-queries';
import { CardSkeleton } from './card-skeleton';
import { useOverviewTexts } from './texts/overview-texts';

export function BalanceCard() {
  const t = useOverviewTexts();
  const { language } = useLanguage();
  const query = useQuery(settingsQuery(useConsoleApi()));
  return (
    <Paper withBorder p="lg" component="section">
      <Stack gap="xs">
        <Group justify="space-between">
          <Title order={2}>{t('balance')}</Title>
          <Anchor component={Link} to="/transactions" size="md">
            {t('balance.details')}
          </Anchor>
        </Group>
        <QueryState query={query} skeleton={<CardSkeleton />}>
          {({ balance, currency, low_balance_threshold: threshold }) => (
            <>
              <Text fz="1.75rem" lh={1.3} fw={600}>
                <Amount value={balance} currency={currency} />
              </Text>
              <Text size="md" c="dimmed">
                {threshold === null
                  ? t('balance.noNotice')
                  : t(balance.compare(threshold) < 0 ? 'balance.low' : 'balance.notice', {
                      threshold: formatPrice(threshold, currency, language),
                    })}
              </Text>
              <Group mt="auto">
                <Button component={Link} to="/top-up">
                  {t('topUp')}
                </Button>
              </Group>
            </>
          )}
        </QueryState>
      </Stack>
    </Paper>
  );
}
