import { Anchor, Button, Code, Group, Paper, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { type ReactNode } from 'react';
import { useConsoleApi } from '../../api/console-api';
import { useSessionState } from '../../api/session';
import { useRuntimeConfig } from '../../api/site';
import { CodeSamples } from '../../components/code-samples';
import { CopyButton } from '../../components/copy-button';
import { EmptyState } from '../../components/empty-state';
import { ErrorNotice } from '../../components/error-notice';
import { Fact, Facts } from '../../components/facts';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { Bytes } from '../../figures/figure-text';
import { Time } from '../../time/time';
import { pricingQuery } from '../pricing/pricing-queries';
import { downloadCommands, type Model, modelQuery, useModelLink } from './model-queries';
import { usePackagesTexts } from './packages-texts';

/** One model: what it is, and how to download its package. */
export function PackagePage() {
  const t = usePackagesTexts();
  const { _splat: slug = '' } = useParams({ strict: false });
  const { apiUrl, origin } = useRuntimeConfig();
  const query = useQuery(modelQuery(useConsoleApi(), slug));
  const { data: model } = query;
  if (model === null)
    return (
      <Page title={slug}>
        <EmptyState
          title={t('missing.title')}
          action={
            <Button component={Link} to="/packages">
              {t('all')}
            </Button>
          }
        >
          {t('missing.text')}
        </EmptyState>
      </Page>
    );
  return (
    <Stack gap="xs">
      <Page
        title={model?.name ?? slug}
        description={model?.description || t('description')}
        actions={model && <DownloadButton slug={slug} />}
      >
        <QueryState query={query}>
          {(found) =>
            found && (
              <Stack gap="xl">
                <ModelFacts model={found} />
                <Stack component="section" gap="sm">
                  <Title order={2}>{t('commands')}</Title>
                  <span>{t('commands.text')}</span>
                  <CodeSamples
                    label={t('commands.system')}
                    samples={downloadCommands(apiUrl || origin, found)}
                  />
                </Stack>
                <Anchor component={Link} to="/packages" size="md">
                  {t('all')}
                </Anchor>
              </Stack>
            )
          }
        </QueryState>
      </Page>
    </Stack>
  );
}

/** Downloads in the browser. Visitors are led to the sign-in and back. */
function DownloadButton({ slug }: { slug: string }) {
  const t = usePackagesTexts();
  const { status } = useSessionState();
  const link = useModelLink();
  if (status === 'signed-out')
    return (
      <Button
        variant="default"
        renderRoot={(props) => <Link {...props} to="/sign-in" search={{ next: window.location.pathname }} />}
      >
        {t('download.signIn')}
      </Button>
    );
  return (
    <Stack gap="xs" align="flex-end">
      <Button
        leftSection={<Download size={16} />}
        loading={link.isPending}
        onClick={() => link.mutate(slug, { onSuccess: ({ url }) => window.location.assign(url) })}
      >
        {t('download')}
      </Button>
      {link.error && <ErrorNotice error={link.error} />}
    </Stack>
  );
}

/** A fact that the model does not have is left out, except the licence, for which people look. */
function ModelFacts({ model }: { model: Model }) {
  const t = usePackagesTexts();
  const { data: pricing } = useQuery(pricingQuery(useConsoleApi()));
  const isCallable = pricing?.models.some(({ slug }) => slug === model.slug);
  const facts: [name: string, value: ReactNode][] = [
    [t('slug'), <Code key="slug">{model.slug}</Code>],
    [t('license'), model.license ?? t('license.missing')],
    [t('family'), model.family],
    [t('parameters'), model.parameters],
    [t('quantization'), model.quantization],
    [t('format'), model.format],
    [t('version'), model.version],
    [t('file'), <Code key="file">{model.file_name}</Code>],
    [t('size'), <Bytes key="size" value={model.size} />],
    [
      'SHA-256',
      <Group key="sha256" gap={4} wrap="nowrap">
        <Code>{model.sha256}</Code>
        <CopyButton value={model.sha256} label={t('sha256.copy')} />
      </Group>,
    ],
    [t('published'), <Time key="published" value={model.published_at} detail="day" />],
    [
      t('api'),
      isCallable && (
        <Anchor
          key="api"
          inherit
          renderRoot={(props) => <Link {...props} to="/models/$" params={{ _splat: model.slug }} />}
        >
          {t('api.callable')}
        </Anchor>
      ),
    ],
  ];
  return (
    <Paper withBorder p="lg">
      <Facts>
        {facts.map(
          ([name, value]) =>
            value && (
              <Fact key={name} name={name}>
                {value}
              </Fact>
            ),
        )}
      </Facts>
    </Paper>
  );
}
