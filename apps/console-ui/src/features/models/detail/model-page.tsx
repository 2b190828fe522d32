import { Anchor, Button, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { toApiError } from '../../../api/api-error';
import { useConsoleApi } from '../../../api/console-api';
import { CodeSamples } from '../../../components/code/code-samples';
import { EmptyState } from '../../../components/empty-state';
import { Page } from '../../../components/page';
import { QueryState } from '../../../components/query-state';
import { useRuntimeConfig } from '../../../app/runtime-config';
import { modelQuery } from '../model-queries';
import { useModelsTexts } from '../texts/models-texts';
import { DownloadButton } from './download-button';
import { downloadCommands } from './download-commands';
import { ModelFacts } from './model-facts';

/** One model: what it is, and how to download its package. */
export function ModelPage() {
  const t = useModelsTexts();
  const { _splat: slug = '' } = useParams({ strict: false });
  const { apiUrl } = useRuntimeConfig();
  const query = useQuery(modelQuery(useConsoleApi(), slug));
  const { data: model, error } = query;
  if (error && toApiError(error).status === 404)
    return (
      <Page title={slug}>
        <EmptyState
          title={t('missing.title')}
          action={
            <Button component={Link} to="/models">
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
        description={model?.description}
        actions={model && <DownloadButton slug={slug} />}
      >
        <QueryState query={query}>
          {(found) => (
            <Stack gap="xl">
              <ModelFacts model={found} />
              <Stack component="section" gap="sm">
                <Title order={2}>{t('commands')}</Title>
                <span>{t('commands.text')}</span>
                <CodeSamples
                  label={t('commands.system')}
                  samples={downloadCommands(apiUrl || window.location.origin, found)}
                />
              </Stack>
              <Anchor component={Link} to="/models" size="md">
                {t('all')}
              </Anchor>
            </Stack>
          )}
        </QueryState>
      </Page>
    </Stack>
  );
}
