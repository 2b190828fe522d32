import { Alert, Anchor, Code, Group, Paper, Progress, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode } from 'react';
import { useTrainingApi } from '../../api/service-apis';
import { EmptyState } from '../../components/empty-state';
import { Fact, Facts } from '../../components/facts';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { Amount, Quantity } from '../../figures/figure-text';
import { useSite } from '../../api/site';
import { type ChineseTexts, defineTexts } from '../../language/define-texts';
import { type Capabilities, capabilitiesQuery, leftOf, usedPercent } from './training-queries';
import classes from './training.module.css';

const en = {
  title: 'Training',
  description: 'What you can train, your remaining quota, and prices.',
  notOffered: 'Training is not available yet',
  'notOffered.text': 'This site has not set a price for training. Ask its operator.',
  quota: 'Quota',
  'quota.left': 'Tokens left',
  'quota.used': 'Used',
  'quota.total': 'Total quota',
  'quota.share': 'Share of the quota used',
  'quota.none': 'Your quota is used up. Ask the operator of the site for more.',
  balance: 'Balance',
  'balance.text': 'Each training step is paid from your balance.',
  topUp: 'Top up',
  prices: 'Prices',
  'price.gpuHour': 'Per GPU hour',
  'price.tokens': 'Per million tokens',
  'prices.converted':
    'Prices are in US dollars. Your balance is charged in its own currency at the day’s exchange rate.',
  abilities: 'What you can train',
  models: 'Base models',
  methods: 'Methods',
  lora: 'LoRA methods',
  modules: 'LoRA target modules',
  formats: 'Export formats',
  none: 'None',
  intervention: 'Automatic stop',
  'intervention.on': 'A training run is stopped or adjusted automatically on any of these signs:',
  'intervention.off': 'Training runs are not stopped or adjusted automatically.',
} as const;

const zh: ChineseTexts<typeof en> = {
  title: '训练',
  description: '您的账户可以训练的内容、剩余配额和价格。',
  notOffered: '尚未开通训练',
  'notOffered.text': '本站点还没有训练价格，请联系站点运营方。',
  quota: '配额',
  'quota.left': '剩余 Token',
  'quota.used': '已用',
  'quota.total': '总配额',
  'quota.share': '已用配额占比',
  'quota.none': '配额已用完，请联系站点运营方增加。',
  balance: '余额',
  'balance.text': '训练的每一步都从余额中扣费。',
  topUp: '充值',
  prices: '价格',
  'price.gpuHour': '每 GPU 小时',
  'price.tokens': '每百万 Token',
  'prices.converted': '价格以美元计，扣费时按当日汇率换算为余额的币种。',
  abilities: '可训练内容',
  models: '基础模型',
  methods: '训练方法',
  lora: 'LoRA 方法',
  modules: 'LoRA 作用模块',
  formats: '导出格式',
  none: '无',
  intervention: '自动干预',
  'intervention.on': '出现以下情况之一时，训练会自动停止或调整：',
  'intervention.off': '训练不会自动停止或调整。',
};

const useTrainingTexts = defineTexts('training', en, zh);

/** The service names its prices in this currency on every site. */
const PRICE_CURRENCY = 'USD';

/** What the account can train, its quota, its balance and the prices. */
export function TrainingPage() {
  const t = useTrainingTexts();
  const query = useQuery(capabilitiesQuery(useTrainingApi()));
  return (
    <Page title={t('title')} description={t('description')}>
      <QueryState
        query={query}
        skeleton={<Skeleton height={420} />}
        isEmpty={(capabilities) => capabilities === null}
        empty={<EmptyState title={t('notOffered')}>{t('notOffered.text')}</EmptyState>}
      >
        {(capabilities) =>
          capabilities && (
            <Stack gap="md">
              <div className={classes.cards}>
                <QuotaCard quota={capabilities.quota} />
                <BalanceCard balance={capabilities.balance} />
                <PriceCard pricing={capabilities.pricing} />
              </div>
              <Abilities capabilities={capabilities} />
            </Stack>
          )
        }
      </QueryState>
    </Page>
  );
}

function Card({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Paper withBorder p="lg" component="section" aria-label={title}>
      <Stack gap="sm">
        <Title order={2}>{title}</Title>
        {children}
      </Stack>
    </Paper>
  );
}

function QuotaCard({ quota }: { quota: Capabilities['quota'] }) {
  const t = useTrainingTexts();
  const left = leftOf(quota);
  return (
    <Card title={t('quota')}>
      <div>
        <Text size="sm" c="dimmed">
          {t('quota.left')}
        </Text>
        <Text component="div" className={classes.number!}>
          <Quantity value={left} />
        </Text>
      </div>
      <Progress value={usedPercent(quota)} aria-label={t('quota.share')} />
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed">
          {t('quota.used')} <Quantity value={quota.used} />
        </Text>
        <Text size="sm" c="dimmed">
          {t('quota.total')} <Quantity value={quota.total} />
        </Text>
      </Group>
      {left.isZero && <Alert color="yellow">{t('quota.none')}</Alert>}
    </Card>
  );
}

function BalanceCard({ balance }: { balance: Capabilities['balance'] }) {
  const t = useTrainingTexts();
  const { currency } = useSite();
  return (
    <Card title={t('balance')}>
      <Text component="div" className={classes.number!}>
        <Amount value={balance} currency={currency} />
      </Text>
      <Text size="md" c="dimmed">
        {t('balance.text')}
      </Text>
      <Anchor component={Link} to="/top-up" size="md">
        {t('topUp')}
      </Anchor>
    </Card>
  );
}

function PriceCard({ pricing }: { pricing: Capabilities['pricing'] }) {
  const t = useTrainingTexts();
  const { currency } = useSite();
  const prices = [
    { text: t('price.tokens'), value: pricing.token_per_m_usd },
    { text: t('price.gpuHour'), value: pricing.gpu_hour_usd },
  ];
  return (
    <Card title={t('prices')}>
      {prices.map(({ text, value }) => (
        <Group key={text} justify="space-between" gap="xs">
          <Text size="md" c="dimmed">
            {text}
          </Text>
          <Text size="md" fw={500} component="div">
            <Amount value={value} currency={PRICE_CURRENCY} /> {PRICE_CURRENCY}
          </Text>
        </Group>
      ))}
      {currency !== PRICE_CURRENCY && (
        <Text size="sm" c="dimmed">
          {t('prices.converted')}
        </Text>
      )}
    </Card>
  );
}

function Abilities({ capabilities }: { capabilities: Capabilities }) {
  const t = useTrainingTexts();
  const { enabled, conditions } = capabilities.pricing.auto_intervention;
  const lists = [
    { name: t('models'), items: capabilities.models },
    { name: t('methods'), items: capabilities.methods },
    { name: t('lora'), items: capabilities.lora_methods },
    { name: t('modules'), items: capabilities.target_modules },
    { name: t('formats'), items: capabilities.export_formats },
  ];
  return (
    <Card title={t('abilities')}>
      <Facts>
        {lists.map(({ name, items }) => (
          <Fact key={name} name={name}>
            <Names items={items} />
          </Fact>
        ))}
        <Fact name={t('intervention')}>
          <Stack gap="xs">
            <Text size="md">{t(enabled ? 'intervention.on' : 'intervention.off')}</Text>
            {enabled && <Names items={conditions} />}
          </Stack>
        </Fact>
      </Facts>
    </Card>
  );
}

function Names({ items }: { items: string[] }) {
  const t = useTrainingTexts();
  if (items.length === 0) return t('none');
  return (
    <Group gap="xs">
      {items.map((item) => (
        <Code key={item}>{item}</Code>
      ))}
    </Group>
  );
}
