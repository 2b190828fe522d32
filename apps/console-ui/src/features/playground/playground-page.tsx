import { Alert, Button, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Code, Eraser } from 'lucide-react';
import { useState } from 'react';
import { useConsoleApi } from '../../api/console-api';
import { EmptyState } from '../../components/empty-state';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { useSite } from '../../site/site';
import { AsCode } from './as-code';
import { Composer } from './composer';
import { withOfferedModels } from './conversation/conversation';
import { useConversation } from './conversation/use-conversation';
import { ParametersForm } from './parameters-form';
import classes from './playground.module.css';
import { playgroundModelsQuery } from './playground-queries';
import { Turns } from './answer/turns';
import { usePlaygroundTexts } from './texts/playground-texts';

/** A conversation with one model, or with two side by side. */
export function PlaygroundPage() {
  const t = usePlaygroundTexts();
  const { features } = useSite();
  if (features.playground) return <Playground />;
  return (
    <Page title={t('title')}>
      <EmptyState title={t('notOffered')}>{t('notOffered.text')}</EmptyState>
    </Page>
  );
}

function Playground() {
  const t = usePlaygroundTexts();
  const query = useQuery(playgroundModelsQuery(useConsoleApi()));
  const { conversation, isBusy, ...actions } = useConversation();
  const parameters = withOfferedModels(conversation.parameters, query.data ?? []);
  const chosen = { ...conversation, parameters };
  const [isCodeOpen, setIsCodeOpen] = useState(false);
  return (
    <Page
      title={t('title')}
      description={t('description')}
      actions={
        query.data?.length ? (
          <>
            <Button
              variant="default"
              leftSection={<Eraser size={16} />}
              disabled={isBusy || conversation.turns.length === 0}
              onClick={actions.clear}
            >
              {t('clear')}
            </Button>
            <Button variant="default" leftSection={<Code size={16} />} onClick={() => setIsCodeOpen(true)}>
              {t('asCode')}
            </Button>
          </>
        ) : null
      }
    >
      <QueryState
        query={query}
        skeleton={<Skeleton height={420} />}
        isEmpty={(models) => models.length === 0}
        empty={<EmptyState title={t('noModels')}>{t('noModels.text')}</EmptyState>}
      >
        {(models) => (
          <div className={classes.playground}>
            <ParametersForm
              models={models}
              parameters={parameters}
              isBusy={isBusy}
              onChange={actions.setParameters}
            />
            <Stack gap="md" miw={0}>
              {conversation.turns.length === 0 ? (
                <Alert variant="light" color="gray">
                  {t('empty')}
                </Alert>
              ) : (
                <Turns turns={conversation.turns} isBusy={isBusy} onRetry={actions.retry} />
              )}
              <Composer
                conversation={chosen}
                isBusy={isBusy}
                onDraft={actions.setDraft}
                onSend={() => actions.send(parameters)}
                onStop={actions.stop}
              />
            </Stack>
          </div>
        )}
      </QueryState>
      {isCodeOpen && <AsCode conversation={chosen} onClose={() => setIsCodeOpen(false)} />}
    </Page>
  );
}
