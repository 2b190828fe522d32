import { Alert, Button, Group, Paper, Skeleton, Stack, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { MessageSquarePlus, SendHorizontal, Square } from 'lucide-react';
import { Fragment, type KeyboardEvent, useCallback, useState } from 'react';
import { useMemoApi } from '../../../api/service-apis';
import { ErrorNotice } from '../../../components/error-notice';
import { QueryState } from '../../../components/query-state';
import { CallsCost } from '../../requests/request-parts';
import { PassageDialog, type Source } from '../documents/passage-dialog';
import { useWorkspace } from '../workspace-context';
import { useWorkspaceTexts } from '../workspace-texts';
import { Answer, PassagesPanel, Question } from './answer';
import { type ChatMessage, type Citation, messagesQuery, type ShownAnswer } from './chat-queries';
import classes from './chat.module.css';
import { ConversationList } from './conversation-list';
import { useQuestion } from './use-question';

const MOST_CHARACTERS = 4_000;

interface QuestionFormProps {
  isBusy: boolean;
  /** Resolves with false if the question was refused: it stays in the field then. */
  onAsk: (query: string) => Promise<boolean>;
  onStop: () => void;
}

function QuestionForm({ isBusy, onAsk, onStop }: QuestionFormProps) {
  const t = useWorkspaceTexts();
  const [draft, setDraft] = useState('');
  const canAsk = draft.trim() !== '' && !isBusy;
  const ask = async () => {
    setDraft('');
    if (!(await onAsk(draft.trim()))) setDraft((typed) => typed || draft);
  };
  const askOnEnter = (event: KeyboardEvent) => {
    // Enter also ends the composition of Chinese characters.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (canAsk) void ask();
  };
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Textarea
          label={t('question')}
          description={t('question.hint')}
          autosize
          minRows={2}
          maxRows={10}
          maxLength={MOST_CHARACTERS}
          value={draft}
          onChange={(event) => setDraft(event.currentTarget.value)}
          onKeyDown={askOnEnter}
        />
        <Group justify="flex-end">
          {isBusy ? (
            <Button variant="default" leftSection={<Square size={14} />} onClick={onStop}>
              {t('stop')}
            </Button>
          ) : (
            <Button leftSection={<SendHorizontal size={16} />} disabled={!canAsk} onClick={() => void ask()}>
              {t('ask')}
            </Button>
          )}
        </Group>
      </Stack>
    </Paper>
  );
}

const sourceOfCitation = ({
  document_id: documentId,
  title,
  version,
  start,
  end,
  snippet,
}: Citation): Source => ({
  documentId,
  title,
  passage: { version, start, end, quote: snippet },
});

/** The answer whose passages are shown: the chosen one, or the newest. */
function shownAnswer(
  conversationId: string | undefined,
  messages: ChatMessage[],
  chosenId: string | undefined,
): ShownAnswer | undefined {
  const isAnswer = ({ role }: ChatMessage) => role === 'assistant';
  const answer = messages.find(({ id }) => id === chosenId) ?? messages.findLast(isAnswer);
  if (conversationId === undefined || !answer) return undefined;
  const question = messages[messages.indexOf(answer) - 1]?.content ?? '';
  return { conversationId, messageId: answer.id, question };
}

/** Questions to the documents of a workspace. Another conversation begins with an empty field. */
export function ChatPart() {
  const { workspace } = useWorkspace();
  const { conversation } = useSearch({ from: '/console/workspaces/$id/ask' });
  const navigate = useNavigate();
  // A conversation that has just begun gets its address without being read anew.
  const [begun, setBegun] = useState<string>();
  const [round, setRound] = useState(0);
  const open = useCallback(
    (id: string | undefined, replace: boolean) =>
      navigate({
        to: '/workspaces/$id/ask',
        params: { id: workspace.id },
        search: id === undefined ? {} : { conversation: id },
        replace,
      }),
    [navigate, workspace.id],
  );
  const onStarted = useCallback(
    (id: string) => {
      setBegun(id);
      return open(id, true);
    },
    [open],
  );
  const startNew = () => {
    setBegun(undefined);
    setRound(round + 1);
    void open(undefined, false);
  };
  const isBegun = conversation !== undefined && conversation === begun;
  return (
    <Chat
      key={`${round} ${isBegun ? '' : (conversation ?? '')}`}
      conversationId={conversation}
      onStarted={onStarted}
      onNew={startNew}
    />
  );
}

interface Props {
  conversationId: string | undefined;
  onStarted: (id: string) => Promise<void>;
  onNew: () => void;
}

function Chat({ conversationId, onStarted, onNew }: Props) {
  const t = useWorkspaceTexts();
  const { workspace } = useWorkspace();
  const query = useQuery(messagesQuery(useMemoApi(), workspace.id, conversationId));
  const { live, error, ask, stop } = useQuestion(workspace.id, conversationId, onStarted);
  const [source, setSource] = useState<Source>();
  const [chosenId, setChosenId] = useState<string>();
  const isBusy = live?.isRunning ?? false;
  const askNext = (question: string) => {
    setChosenId(undefined);
    return ask(question);
  };
  const shown = shownAnswer(conversationId, query.data ?? [], chosenId);
  return (
    <div className={classes.chat}>
      <Stack gap="md" miw={0}>
        <QueryState query={query} skeleton={<Skeleton height={240} />}>
          {(messages) => (
            <Stack gap="md" role="log" aria-label={t('conversation')} aria-busy={isBusy}>
              {messages.length === 0 && !live && (
                <Alert variant="light" color="gray">
                  {t(workspace.document_count.isZero ? 'ask.noDocuments' : 'ask.empty')}
                </Alert>
              )}
              <Messages
                messages={live ? messages.slice(0, live.messagesBefore) : messages}
                onCite={(citation) => setSource(sourceOfCitation(citation))}
                onShowPassages={setChosenId}
              />
              {live && (
                <>
                  <Question text={live.query} />
                  <Answer
                    content={live.answer}
                    citations={[]}
                    state={live.isRunning ? 'running' : error ? 'failed' : 'cancelled'}
                  />
                </>
              )}
            </Stack>
          )}
        </QueryState>
        {error !== undefined && <ErrorNotice error={error} />}
        <QuestionForm isBusy={isBusy} onAsk={askNext} onStop={stop} />
      </Stack>
      <Stack gap="lg" miw={0}>
        <Group>
          <Button
            variant="default"
            leftSection={<MessageSquarePlus size={16} />}
            disabled={isBusy}
            onClick={onNew}
          >
            {t('conversation.new')}
          </Button>
        </Group>
        {shown && (
          <PassagesPanel
            workspaceId={workspace.id}
            answer={shown}
            onOpen={({ document_id: documentId, title, version, start, end, text }) =>
              setSource({ documentId, title, passage: { version, start, end, quote: text } })
            }
          />
        )}
        <ConversationList
          workspaceId={workspace.id}
          openId={conversationId}
          onDeleted={(id) => id === conversationId && onNew()}
        />
      </Stack>
      {source && (
        <PassageDialog workspaceId={workspace.id} source={source} onClose={() => setSource(undefined)} />
      )}
    </div>
  );
}

function Messages({
  messages,
  onCite,
  onShowPassages,
}: {
  messages: ChatMessage[];
  onCite: (citation: Citation) => void;
  onShowPassages: (messageId: string) => void;
}) {
  const t = useWorkspaceTexts();
  return messages.map(({ id, role, content, citations, status, request_ids: requestIds }) => (
    <Fragment key={id}>
      {role === 'user' ? (
        <Question text={content} />
      ) : (
        <Answer content={content} citations={citations} state={status} onCite={onCite}>
          {requestIds.length > 0 && <CallsCost requestIds={requestIds} />}
          <Group justify="flex-end">
            <Button size="compact-xs" variant="subtle" onClick={() => onShowPassages(id)}>
              {t('passages.show')}
            </Button>
          </Group>
        </Answer>
      )}
    </Fragment>
  ));
}
