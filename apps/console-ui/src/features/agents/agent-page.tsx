import { Anchor, Button, Code, Group, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { Pencil, Square, Trash2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { CopyButton } from '../../components/copy-button';
import { ErrorNotice } from '../../components/error-notice';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { agentSessionQuery, nameOf, type StoredConversation, useAgentClients } from './agent-queries';
import { useAgentTexts } from './agent-texts';
import classes from './agents.module.css';
import { Composer } from './composer';
import { DeletionDialog, RenameDialog } from './conversation-dialogs';
import { Events, Message, ToolResultForm } from './conversation-log';
import { unansweredCalls } from './tool-calls';
import { useLiveTurn } from './use-live-turn';

/** A conversation with an agent: what was said, the turn that runs, and the next message. */
export function AgentPage() {
  const { id } = useParams({ from: '/console/agents/$id' });
  // Another conversation begins with an empty field and without the dialogs of this one.
  return <Conversation key={id} id={id} />;
}

function Conversation({ id }: { id: string }) {
  const t = useAgentTexts();
  const navigate = useNavigate();
  const { calls } = useAgentClients();
  const query = useQuery(agentSessionQuery(calls, id));
  const live = useLiveTurn(id, query.data);
  const [dialog, setDialog] = useState<'rename' | 'delete'>();
  const close = () => setDialog(undefined);
  const session = query.data?.session;
  const isRunning = live.isRunning || Boolean(session?.open_turns.length);
  return (
    <Page
      title={session ? nameOf(session) : id}
      description={
        <Group component="span" gap="xs">
          <Anchor component={Link} to="/agents" inherit>
            {t('back')}
          </Anchor>
          {session && (
            <>
              <Code>{session.model}</Code>
              <CopyButton value={id} label={t('id.copy')} />
            </>
          )}
        </Group>
      }
      actions={
        session && (
          <>
            <Button
              variant="default"
              size="xs"
              leftSection={<Pencil size={14} />}
              onClick={() => setDialog('rename')}
            >
              {t('rename')}
            </Button>
            <Button
              variant="default"
              size="xs"
              leftSection={<Trash2 size={14} />}
              onClick={() => setDialog('delete')}
            >
              {t('delete')}
            </Button>
          </>
        )
      }
    >
      <QueryState query={query} skeleton={<Skeleton height={360} />}>
        {(stored) => <Turns key={id} stored={stored} live={live} isRunning={isRunning} />}
      </QueryState>
      {dialog === 'rename' && session && <RenameDialog session={session} onClose={close} />}
      {dialog === 'delete' && session && (
        <DeletionDialog
          sessions={[session]}
          onDeleted={() => void navigate({ to: '/agents' })}
          onClose={close}
        />
      )}
    </Page>
  );
}

interface TurnsProps {
  stored: StoredConversation;
  live: ReturnType<typeof useLiveTurn>;
  isRunning: boolean;
}

function Turns({ stored: { session, events }, live, isRunning }: TurnsProps) {
  const t = useAgentTexts();
  const waiting = session.open_turns.find(({ status }) => status === 'requires_action');
  // Once the turn has ended, its text is among the stored events.
  const isLive = live.text === '' || session.open_turns.some((turn) => turn !== waiting);
  const unanswered = waiting && !live.isRunning ? unansweredCalls(events, waiting.id) : [];
  useScrollToEnd(`${events.length} ${live.text.length}`);
  const stop = isRunning && (
    <Button variant="default" leftSection={<Square size={14} />} onClick={() => void live.cancel()}>
      {t('cancelTurn')}
    </Button>
  );
  return (
    <Stack gap="md" className={classes.conversation}>
      <Stack
        gap="md"
        role="log"
        aria-label={t('conversation')}
        aria-busy={live.isRunning}
        className={classes.log}
      >
        <Events events={events} />
        {live.isRunning && isLive && <Message speaker="assistant" text={live.text} isGrowing />}
      </Stack>
      {live.error !== undefined && <ErrorNotice error={live.error} onRetry={live.goOn} />}
      {unanswered.length > 0 ? (
        <>
          <ToolResultForm
            key={unanswered.map((call) => call.id).join()}
            calls={unanswered}
            onSend={(results) => void live.send({ role: 'tool', tool_call_results: results })}
          />
          {stop && <Group justify="flex-end">{stop}</Group>}
        </>
      ) : (
        <div className={classes.end}>
          <Composer
            isBusy={live.isRunning}
            onSend={(content) => live.send({ role: 'user', content })}
            tools={stop}
          />
        </div>
      )}
    </Stack>
  );
}

/** So near to its end a page counts as being there. */
const NEAR_PIXELS = 120;

/** Keeps the end of the page in sight while its content grows, unless somebody has scrolled up to read. */
function useScrollToEnd(content: string): void {
  const isAtEnd = useRef(true);
  useEffect(() => {
    const look = () => {
      const { scrollHeight, clientHeight, scrollTop } = document.documentElement;
      isAtEnd.current = scrollHeight - clientHeight - scrollTop < NEAR_PIXELS;
    };
    window.addEventListener('scroll', look, { passive: true });
    return () => window.removeEventListener('scroll', look);
  }, []);
  useEffect(() => {
    if (isAtEnd.current) window.scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' });
  }, [content]);
}
