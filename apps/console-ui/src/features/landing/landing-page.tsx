import { Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
// Only what this page shows beside `first-styles.ts`: the whole style sheet is a tenth of what a first visit loads.
import '@mantine/core/styles/Tabs.layer.css';
import '@mantine/core/styles/Table.layer.css';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useConsoleApi } from '../../api/console-api';
import { CodeSamples } from '../../components/code-samples';
import { usePageTitle } from '../../components/page-title';
import { useSite } from '../../api/site';
import { type ChineseTexts, defineTexts } from '../../language/define-texts';
import { firstCallSamples } from '../keys/first-call-samples';
import { ModelPriceTable } from '../pricing/model-price-table';
import { chatModelIn, groupByModel, pricingQuery } from '../pricing/pricing-queries';
import classes from './landing.module.css';

const en = {
  slogan: 'Call AI models. See what every call costs.',
  pitch:
    'One API for every model on this site. Pay from a prepaid balance, and see each cost to the last digit.',
  register: 'Create an account',
  signIn: 'Sign in',
  firstCall: 'Your first call',
  'firstCall.language': 'Language of the example',
  'fact.compatible': 'Works with your code',
  'fact.compatible.text': 'Compatible with the OpenAI API. Just change the base URL and the API key.',
  'fact.exact': 'Exact costs',
  'fact.exact.text': 'Every call is listed with its tokens and its cost, never rounded.',
  'fact.prepaid': 'No surprises',
  'fact.prepaid.text': 'You only spend what you have topped up. Set a limit for each API key.',
  prices: 'Models and prices',
  'prices.all': 'All prices',
} as const;

const zh: ChineseTexts<typeof en> = {
  slogan: '调用 AI 模型，每次费用一目了然',
  pitch: '一个 API 即可调用本站全部模型。余额预付，账单精确到最后一位小数。',
  register: '注册账户',
  signIn: '登录',
  firstCall: '第一次调用',
  'firstCall.language': '示例语言',
  'fact.compatible': '无需改造',
  'fact.compatible.text': '兼容 OpenAI API，只需修改程序中的地址和密钥。',
  'fact.exact': '费用精确',
  'fact.exact.text': '每次调用均列出 Token 数和费用，不作舍入。',
  'fact.prepaid': '花费可控',
  'fact.prepaid.text': '只从预付余额中扣费，每个 API 密钥均可设置限额。',
  prices: '模型与价格',
  'prices.all': '全部价格',
};

const useLandingTexts = defineTexts('landing', en, zh);

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
