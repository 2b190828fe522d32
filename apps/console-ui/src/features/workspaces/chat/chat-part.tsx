import { Alert, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { MessageSquarePlus } from 'lucide-react';
import { useCallback, useState } from 'react';
import { useMemoApi } from '../../../api/service-apis';
import { ErrorNotice } from '../../../components/error-notice';
import { QueryState } from '../../../components/query-state';
import { CallsCost } from '../../requests/request-parts';
import { PassageDialog, type Source } from '../documents/passage-dialog';
import { useWorkspace } from '../workspace-context';
import { Answer, PassagesPanel, Question } from './answer';
import { AnswerActions } from './answer-actions';
import {
  type ChatMessage,
  type Citation,
  messagesQuery,
  type ShownAnswer,
  topicsQuery,
} from './chat-queries';
import { useChatTexts } from './chat-texts';
import classes from './chat.module.css';
import { Composer } from './composer';
import { type ChosenDocument, NO_CONDITIONS } from './conditions';
import { ConversationList } from './conversation-list';
import { useQuestion } from './use-question';

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
  const t = useChatTexts();
  const { workspace } = useWorkspace();
  const query = useQuery(messagesQuery(useMemoApi(), workspace.id, conversationId));
  const { live, error, ask, stop } = useQuestion(workspace.id, conversationId, onStarted);
  const [source, setSource] = useState<Source>();
  const [chosenId, setChosenId] = useState<string>();
  const isBusy = live?.isRunning ?? false;
  const [conditions, setConditions] = useState(NO_CONDITIONS);
  const askNext = (question: string, where = conditions) => {
    setChosenId(undefined);
    return ask(question, where);
  };
  const cite = useCallback((citation: Citation) => setSource(sourceOfCitation(citation)), []);
  const shown = shownAnswer(conversationId, query.data ?? [], chosenId);
  return (
    <div className={classes.chat}>
      <Stack gap="md" miw={0}>
        <QueryState query={query} skeleton={<Skeleton height={240} />}>
          {(messages) => (
            <Stack gap="md" role="log" aria-label={t('conversation')} aria-busy={isBusy}>
              {messages.length === 0 && !live && (
                <>
                  <Alert variant="light" color="gray">
                    {t(workspace.document_count.isZero ? 'ask.noDocuments' : 'ask.empty')}
                  </Alert>
                  <Suggestions
                    workspaceId={workspace.id}
                    onAsk={(question, document) =>
                      void askNext(question, { ...NO_CONDITIONS, documents: [document] })
                    }
                  />
                </>
              )}
              <Messages
                workspaceId={workspace.id}
                conversationId={conversationId}
                messages={live ? messages.slice(0, live.messagesBefore) : messages}
                onCite={cite}
                onShowPassages={setChosenId}
              />
              {live && (
                <>
                  <Question text={live.query} />
                  <Answer
                    content={live.answer}
                    citations={NO_CITATIONS}
                    state={live.isRunning ? 'running' : error ? 'failed' : 'cancelled'}
                  />
                </>
              )}
            </Stack>
          )}
        </QueryState>
        {error !== undefined && <ErrorNotice error={error} />}
        <Composer
          isBusy={isBusy}
          conditions={conditions}
          onNarrow={setConditions}
          onAsk={askNext}
          onStop={stop}
        />
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
            onOpen={({ document_id: documentId, title, version, start, end, text, score }) =>
              setSource({ documentId, title, passage: { version, start, end, quote: text, score } })
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

/** An answer that is being written cites nothing yet. */
const NO_CITATIONS: Citation[] = [];

interface SuggestionsProps {
  workspaceId: string;
  onAsk: (question: string, document: ChosenDocument) => void;
}

/** Questions about what the newest documents are headed with, each asked of its document. */
function Suggestions({ workspaceId, onAsk }: SuggestionsProps) {
  const t = useChatTexts();
  const topics = useQuery(topicsQuery(useMemoApi(), workspaceId)).data ?? [];
  if (topics.length === 0) return null;
  return (
    <Group gap="xs" component="section" aria-label={t('suggestions')}>
      {topics.map(({ document_id: id, topic }) => {
        const question = t('suggestion', { topic });
        return (
          <Button
            key={id}
            variant="default"
            size="xs"
            title={question}
            onClick={() => onAsk(question, { id, title: topic })}
          >
            <Text span inherit className={classes.suggestion!}>
              {question}
            </Text>
          </Button>
        );
      })}
    </Group>
  );
}

interface MessagesProps {
  workspaceId: string;
  /** Undefined as long as nothing is stored. */
  conversationId: string | undefined;
  messages: ChatMessage[];
  onCite: (citation: Citation) => void;
  onShowPassages: (messageId: string) => void;
}

function Messages({ workspaceId, conversationId, messages, onCite, onShowPassages }: MessagesProps) {
  const t = useChatTexts();
  return messages.map((message) => {
    const { id, role, content, citations, status, model, request_ids: requestIds } = message;
    if (role === 'user') return <Question key={id} text={content} />;
    return (
      <Answer key={id} content={content} citations={citations} state={status} onCite={onCite}>
        <Text size="sm" c="dimmed">
          {model === null ? t('model.quoted') : t('model.by', { model })}
          {requestIds.length === 0 && ` · ${t('free')}`}
        </Text>
        {requestIds.length > 0 && <CallsCost requestIds={requestIds} />}
        {conversationId !== undefined && (
          <AnswerActions workspaceId={workspaceId} conversationId={conversationId} message={message}>
            <Button size="compact-xs" variant="subtle" onClick={() => onShowPassages(id)}>
              {t('passages.show')}
            </Button>
          </AnswerActions>
        )}
      </Answer>
    );
  });
}
