import { Anchor, Button, Code, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useConsoleApi } from '../../api/console-api';
import { useRuntimeConfig, useSite } from '../../api/site';
import { CodeSamples } from '../../components/code-samples';
import { type Column, DataTable } from '../../components/data-table';
import { Page } from '../../components/page';
import { type ChineseTexts, defineTexts } from '../../language/define-texts';
import { firstCallSamples } from '../keys/first-call-samples';
import { chatModelIn, groupByModel, pricingQuery } from '../pricing/pricing-queries';

const en = {
  title: 'Documentation',
  description: 'Call your first model, then look up every endpoint in the API reference of its service.',
  'start.title': 'First call',
  'start.text':
    'Create an API key, set it as API_KEY, and run one of these. Any client for the OpenAI API works.',
  'start.language': 'Language of the example',
  'start.keys': 'Create an API key',
  'start.models': 'Choose a model',
  'reference.title': 'API reference',
  'reference.text': 'Each page lists all requests and answers; the OpenAPI document is for tools.',
  'column.service': 'Service',
  'column.address': 'Address',
  'column.reference': 'Reference',
  'reference.page': 'Endpoints',
  'reference.document': 'OpenAPI',
  'service.gateway': 'Gateway',
  'service.gateway.text': 'Calls models, compatible with the OpenAI API.',
  'service.console': 'Console',
  'service.console.text': 'Accounts, API keys, wallet, usage and downloads.',
  'service.memo': 'Workspaces',
  'service.memo.text': 'Answers from your documents, with citations.',
  'service.agent': 'Agents',
  'service.agent.text': 'Long conversations with agents, as streams.',
  'service.training': 'Training',
  'service.training.text': 'Trains models on your data.',
  'service.router': 'Cost',
  'service.router.text': 'Cost reports by day, model and key.',
} as const;

const zh: ChineseTexts<typeof en> = {
  title: '文档',
  description: '完成第一次模型调用，并在各服务的 API 参考中查阅全部接口。',
  'start.title': '第一次调用',
  'start.text':
    '创建 API 密钥，将其设为环境变量 API_KEY，然后运行以下任一示例。兼容 OpenAI API 的客户端均可使用。',
  'start.language': '示例语言',
  'start.keys': '创建 API 密钥',
  'start.models': '选择模型',
  'reference.title': 'API 参考',
  'reference.text': '每个页面列出全部请求与响应；OpenAPI 文档可供工具使用。',
  'column.service': '服务',
  'column.address': '地址',
  'column.reference': '参考',
  'reference.page': '接口列表',
  'reference.document': 'OpenAPI 文档',
  'service.gateway': '网关',
  'service.gateway.text': '调用模型，兼容 OpenAI API。',
  'service.console': '控制台',
  'service.console.text': '账户、API 密钥、钱包、用量与下载。',
  'service.memo': '知识库',
  'service.memo.text': '根据您的文档回答问题并注明出处。',
  'service.agent': '智能体',
  'service.agent.text': '与智能体的长时间对话，以流式返回。',
  'service.training': '训练',
  'service.training.text': '使用您的数据训练模型。',
  'service.router': '费用',
  'service.router.text': '按日、模型和密钥统计的费用报表。',
};

const useDocsTexts = defineTexts('docs', en, zh);

const SERVICES = ['gateway', 'console', 'memo', 'agent', 'training', 'router'] as const;

interface Service {
  name: (typeof SERVICES)[number];
  /** Without a slash at its end. */
  address: string;
  /** Where its API documents are: the page `/docs` and the document `/openapi.json`. */
  documents: string;
}

/** Where people begin who look for documentation: a first call, and the API documents that every service has. */
export function DocsPage() {
  const t = useDocsTexts();
  const { urls } = useSite();
  const { apiUrl, origin } = useRuntimeConfig();
  const { data: pricing } = useQuery(pricingQuery(useConsoleApi()));
  const model = chatModelIn(groupByModel(pricing?.models ?? []));
  const services = SERVICES.map((name): Service => {
    const address = name === 'console' ? apiUrl || origin : urls[name];
    return { name, address, documents: name === 'console' ? `${address}/api` : address };
  });
  return (
    <Page title={t('title')} description={t('description')}>
      <Stack component="section" gap="sm">
        <Title order={2}>{t('start.title')}</Title>
        <Text size="md">{t('start.text')}</Text>
        <CodeSamples label={t('start.language')} samples={firstCallSamples(urls.gateway, model)} />
        <Group gap="sm">
          <Button component={Link} to="/keys">
            {t('start.keys')}
          </Button>
          <Button component={Link} to="/models" variant="default">
            {t('start.models')}
          </Button>
        </Group>
      </Stack>
      <Stack component="section" gap="sm">
        <Title order={2}>{t('reference.title')}</Title>
        <Text size="md">{t('reference.text')}</Text>
        <ServiceTable services={services} />
      </Stack>
    </Page>
  );
}

function ServiceTable({ services }: { services: Service[] }) {
  const t = useDocsTexts();
  const columns: Column<Service>[] = [
    {
      key: 'service',
      title: t('column.service'),
      cell: ({ name }) => (
        <Stack gap={0}>
          <Text inherit fw={500}>
            {t(`service.${name}`)}
          </Text>
          <Text size="sm" c="dimmed">
            {t(`service.${name}.text`)}
          </Text>
        </Stack>
      ),
    },
    { key: 'address', title: t('column.address'), cell: ({ address }) => <Code>{address}</Code> },
    {
      key: 'reference',
      title: t('column.reference'),
      cell: ({ name, documents }) => {
        const label = (text: string) => `${text}: ${t(`service.${name}`)}`;
        return (
          <Group gap="sm" wrap="nowrap">
            <Anchor href={`${documents}/docs`} inherit aria-label={label(t('reference.page'))}>
              {t('reference.page')}
            </Anchor>
            <Anchor href={`${documents}/openapi.json`} inherit aria-label={label(t('reference.document'))}>
              {t('reference.document')}
            </Anchor>
          </Group>
        );
      },
    },
  ];
  return (
    <DataTable label={t('reference.title')} columns={columns} rows={services} keyOf={({ name }) => name} />
  );
}
