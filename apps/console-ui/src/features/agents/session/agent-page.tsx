import { Anchor, Button, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Square } from 'lucide-react';
import { ErrorNotice } from '../../../components/errors/error-notice';
import { Page } from '../../../components/page';
import { QueryState } from '../../../components/query-state';
import { agentSessionQuery } from '../agent-queries';
import { useAgentTexts } from '../texts/agent-texts';
import { useAgentClients } from '../use-agent-clients';
import { Events } from './events';
import { Message } from './message';
import { MessageForm } from './message-form';
import { ToolResultForm } from './tool-result-form';
import { unansweredCalls } from './unanswered-calls';
import { useLiveTurn } from './use-live-turn';

/** A session with an agent: what was said, the turn that runs, and the next message. */
export function AgentPage() {
  const t = useAgentTexts();
  const { id } = useParams({ from: '/console/agents/$id' });
  const { calls } = useAgentClients();
  const query = useQuery(agentSessionQuery(calls, id));
  const live = useLiveTurn(id, query.data);
  return (
    <Page
      title={id}
      description={
        <Anchor component={Link} to="/agents">
          {t('back')}
        </Anchor>
      }
      actions={
        (live.isRunning || query.data?.session.open_turns.length) && (
          <Button variant="default" leftSection={<Square size={14} />} onClick={() => void live.cancel()}>
            {t('cancelTurn')}
          </Button>
        )
      }
    >
      <QueryState query={query} skeleton={<Skeleton height={360} />}>
        {({ session, events }) => {
          const waiting = session.open_turns.find(({ status }) => status === 'requires_action');
          // Once the turn has ended, its text is among the stored events.
          const isLive = live.text === '' || session.open_turns.some((turn) => turn !== waiting);
          const unanswered = waiting && !live.isRunning ? unansweredCalls(events, waiting.id) : [];
          return (
            <Stack gap="md">
              <Stack gap="md" role="log" aria-label={t('conversation')} aria-busy={live.isRunning}>
                <Events events={events} />
                {live.isRunning && isLive && <Message speaker="assistant" text={live.text} isGrowing />}
              </Stack>
              {live.error !== undefined && <ErrorNotice error={live.error} onRetry={live.goOn} />}
              {unanswered.length > 0 ? (
                <ToolResultForm
                  key={unanswered.map((call) => call.id).join()}
                  calls={unanswered}
                  onSend={(results) => void live.send({ role: 'tool', tool_call_results: results })}
                />
              ) : (
                <MessageForm
                  isBusy={live.isRunning}
                  onSend={(content) => live.send({ role: 'user', content })}
                />
              )}
            </Stack>
          );
        }}
      </QueryState>
    </Page>
  );
}
