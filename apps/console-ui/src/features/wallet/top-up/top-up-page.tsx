import { Group, Paper, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useConsoleApi } from '../../../api/console-api';
import { EmptyState } from '../../../components/empty-state';
import { Page } from '../../../components/page';
import { QueryState } from '../../../components/query-state';
import { Amount } from '../../../figures/amount';
import { settingsQuery } from '../wallet-queries';
import { useWalletTexts } from '../wallet-texts';
import { TopUpForm } from './top-up-form';

const FORM_PIXELS = 380;

export function TopUpPage() {
  const t = useWalletTexts();
  const query = useQuery(settingsQuery(useConsoleApi()));
  return (
    <Page title={t('topUp')} description={t('topUp.description')} width="narrow">
      <QueryState
        query={query}
        skeleton={<Skeleton height={FORM_PIXELS} />}
        isEmpty={({ providers }) => !providers.some(({ enabled }) => enabled)}
        empty={<EmptyState title={t('provider.none.title')}>{t('provider.none.text')}</EmptyState>}
      >
        {(settings) => (
          <Paper withBorder p="lg">
            <Stack gap="lg">
              <Group justify="space-between">
                <Text size="md" c="dimmed">
                  {t('balance')}
                </Text>
                <Text size="xl" fw={600}>
                  <Amount value={settings.balance} currency={settings.currency} />
                </Text>
              </Group>
              <TopUpForm settings={settings} />
            </Stack>
          </Paper>
        )}
      </QueryState>
    </Page>
  );
}
