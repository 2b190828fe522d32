import { Anchor, Button, Code, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useConsoleApi } from '../../api/console-api';
import { useRuntimeConfig, useSite } from '../../api/site';
import { CodeSamples } from '../../components/code-samples';
import { type Column, DataTable } from '../../components/data-table';
import { Page } from '../../components/page';
import { firstCallSamples } from '../keys/first-call-samples';
import { chatModelIn, groupByModel, pricingQuery } from '../pricing/pricing-queries';
import { useDocsTexts } from './docs-texts';

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
