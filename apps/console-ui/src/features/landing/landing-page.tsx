import { Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
// Only what this page shows beside `first-styles.ts`: the whole style sheet is a tenth of what a first visit loads.
import '@mantine/core/styles/Tabs.layer.css';
import '@mantine/core/styles/Table.layer.css';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useConsoleApi } from '../../api/console-api';
import { CodeSamples } from '../../components/code-samples';
import { usePageTitle } from '../../components/use-page-title';
import { useSite } from '../../api/site';
import { firstCallSamples } from '../keys/first-call-samples';
import { ModelPriceTable } from '../pricing/model-price-table';
import { chatModelIn, groupByModel, pricingQuery } from '../pricing/pricing-queries';
import { useLandingTexts } from './landing-texts';
import classes from './landing.module.css';

const SHOWN_MODELS = 5;
const FACTS = ['compatible', 'exact', 'prepaid'] as const;

/** What the product is, in one screen. */
export function LandingPage() {
  const t = useLandingTexts();
  const { signup, urls } = useSite();
  usePageTitle(t('slogan'), t('pitch'));
  const { data: pricing } = useQuery(pricingQuery(useConsoleApi()));
  const models = groupByModel(pricing?.models ?? []);
  return (
    <Stack gap="xl" className={classes.page} data-for="visitors">
      <div className={classes.hero}>
        <Stack gap="lg" className={classes.pitch}>
          <Title order={1} className={classes.slogan}>
            {t('slogan')}
          </Title>
          <Text size="lg" c="dimmed">
            {t('pitch')}
          </Text>
          <Group gap="sm">
            {signup === 'open' && (
              <Button component={Link} to="/register" size="md">
                {t('register')}
              </Button>
            )}
            <Button
              component={Link}
              to="/sign-in"
              size="md"
              variant={signup === 'open' ? 'default' : 'filled'}
            >
              {t('signIn')}
            </Button>
          </Group>
        </Stack>
        <Stack gap="xs" className={classes.code} component="section">
          <Title order={2}>{t('firstCall')}</Title>
          <CodeSamples
            label={t('firstCall.language')}
            samples={firstCallSamples(urls.gateway, chatModelIn(models))}
          />
        </Stack>
      </div>
      <ul className={classes.facts}>
        {FACTS.map((fact) => (
          <li key={fact}>
            <Text size="md" fw={600}>
              {t(`fact.${fact}`)}
            </Text>
            <Text size="md" c="dimmed">
              {t(`fact.${fact}.text`)}
            </Text>
          </li>
        ))}
      </ul>
      {models.length > 0 && (
        <Stack component="section" gap="sm">
          <Group justify="space-between">
            <Title order={2}>{t('prices')}</Title>
            <Anchor component={Link} to="/pricing" size="md">
              {t('prices.all')}
            </Anchor>
          </Group>
          <ModelPriceTable models={models.slice(0, SHOWN_MODELS)} />
        </Stack>
      )}
    </Stack>
  );
}
