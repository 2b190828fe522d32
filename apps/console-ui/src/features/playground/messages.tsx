import {
  ActionIcon,
  Anchor,
  Badge,
  Button,
  Group,
  Loader,
  Paper,
  Stack,
  Text,
  Textarea,
  VisuallyHidden,
} from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Pencil, RotateCcw, Trash2 } from 'lucide-react';
import { memo, type ReactNode, useState } from 'react';
import { ApiError } from '../../api/api-error';
import { CopyButton } from '../../components/copy-button';
import { ConfirmDialog } from '../../components/dialogs';
import { ErrorNotice } from '../../components/error-notice';
import { Markdown } from '../../components/markdown/markdown';
import { Figure } from '../../figures/figure';
import { useLanguage } from '../../language/language';
import { CallsCost } from '../requests/request-parts';
import { isSendKey } from '../../components/send-key';
import { Pictures } from './composer';
import {
  type Answer,
  type Failure,
  isWaiting,
  type Prompt,
  type Step,
  textOf,
  type ToolCall,
  type Turn,
  wantsResults,
} from './conversation';
import { type Parameters } from './parameters';
import { usePlaygroundTexts } from './playground-texts';
import classes from './playground.module.css';
import { type ConversationActions } from './use-conversation';

const NOT_PENDING = { error: null, isPending: false };

interface Props {
  turns: Turn[];
  parameters: Parameters;
  isBusy: boolean;
  /** Whether models can be asked: not while one answers, nor with settings that cannot be sent. */
  canAsk: boolean;
  actions: ConversationActions;
}

export function Turns({ turns, parameters, isBusy, canAsk, actions }: Props) {
  const t = usePlaygroundTexts();
  const [deletedId, setDeletedId] = useState<string>();
  return (
    <Stack gap="lg" role="log" aria-label={t('conversation')} aria-busy={isBusy}>
      {turns.map((turn, index) => (
        <TurnView
          key={turn.id}
          turn={turn}
          parameters={parameters}
          isBusy={!canAsk}
          isLast={index === turns.length - 1}
          actions={actions}
          onDelete={setDeletedId}
        />
      ))}
      {deletedId !== undefined && (
        <ConfirmDialog
          title={t('turn.delete')}
          text={t('turn.delete.text')}
          confirmText={t('delete')}
          doing={NOT_PENDING}
          onConfirm={() => {
            actions.deleteTurn(deletedId);
            setDeletedId(undefined);
          }}
          onClose={() => setDeletedId(undefined)}
        />
      )}
    </Stack>
  );
}

interface TurnProps extends Omit<Props, 'turns' | 'canAsk'> {
  turn: Turn;
  isLast: boolean;
  onDelete: (id: string) => void;
}

/** A prompt with its answers. While another one grows, it is not rendered again. */
const TurnView = memo(function TurnView({ turn, parameters, isBusy, isLast, actions, onDelete }: TurnProps) {
  const { id, prompt, answers } = turn;
  return (
    <Stack gap="xs">
      <PromptView
        prompt={prompt}
        isBusy={isBusy}
        isLast={isLast}
        onResend={(text) => actions.resend(parameters, id, { ...prompt, text })}
        onDelete={() => onDelete(id)}
      />
      <div className={classes.answers} data-count={answers.length}>
        {answers.map((answer, place) => (
          <AnswerCard
            key={place}
            answer={answer}
            isBusy={isBusy}
            onRegenerate={
              isLast || answer.steps.at(-1)?.state !== 'complete'
                ? () => actions.regenerate(parameters, id, place)
                : undefined
            }
            onEdit={(text) => actions.editAnswer(id, place, text)}
            onDelete={() => actions.deleteAnswer(id, place)}
            onResult={isLast ? (call, result) => actions.setResult(id, place, call, result) : undefined}
            onSendResults={() => actions.sendResults(parameters, id, place)}
          />
        ))}
      </div>
    </Stack>
  );
});

interface PromptProps {
  prompt: Prompt;
  isBusy: boolean;
  isLast: boolean;
  onResend: (text: string) => void;
  onDelete: () => void;
}

function PromptView({ prompt, isBusy, isLast, onResend, onDelete }: PromptProps) {
  const t = usePlaygroundTexts();
  const [isEdited, setIsEdited] = useState(false);
  if (isEdited && !isBusy)
    return (
      <TextEditor
        label={t('prompt.edit')}
        initial={prompt.text}
        note={isLast ? undefined : t('prompt.edit.note')}
        saveText={t('send')}
        isSentByEnter
        onSave={(text) => {
          setIsEdited(false);
          onResend(text);
        }}
        onCancel={() => setIsEdited(false)}
      />
    );
  return (
    <div className={classes.promptRow}>
      <Paper withBorder p="sm" className={classes.prompt!}>
        <VisuallyHidden>{t('you')}</VisuallyHidden>
        <Stack gap="xs">
          {prompt.pictures.length > 0 && <Pictures pictures={prompt.pictures} />}
          {prompt.text !== '' && (
            <Text size="md" className={classes.text!}>
              {prompt.text}
            </Text>
          )}
        </Stack>
      </Paper>
      <Group gap={0} justify="flex-end">
        <CopyButton value={prompt.text} label={t('copyPrompt')} />
        <Tool label={t('prompt.edit')} isDisabled={isBusy} onClick={() => setIsEdited(true)}>
          <Pencil size={16} />
        </Tool>
        <Tool label={t('turn.delete')} isDisabled={isBusy} onClick={onDelete}>
          <Trash2 size={16} />
        </Tool>
      </Group>
    </div>
  );
}

function Tool({
  label,
  isDisabled,
  onClick,
  children,
}: {
  label: string;
  isDisabled: boolean;
  onClick: () => void;
  children: ReactNode;
}) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      title={label}
      aria-label={label}
      disabled={isDisabled}
      onClick={onClick}
    >
      {children}
    </ActionIcon>
  );
}

interface EditorProps {
  label: string;
  initial: string;
  note?: string | undefined;
  saveText: string;
  isSentByEnter?: boolean;
  onSave: (text: string) => void;
  onCancel: () => void;
}

function TextEditor({
  label,
  initial,
  note,
  saveText,
  isSentByEnter = false,
  onSave,
  onCancel,
}: EditorProps) {
  const t = usePlaygroundTexts();
  const [text, setText] = useState(initial);
  const isEmpty = text.trim() === '';
  return (
    <Stack gap="xs">
      <Textarea
        aria-label={label}
        description={note}
        autosize
        autoFocus
        minRows={2}
        maxRows={16}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onCancel();
          if (!isSentByEnter || !isSendKey(event)) return;
          event.preventDefault();
          if (!isEmpty) onSave(text);
        }}
      />
      <Group gap="xs" justify="flex-end">
        <Button size="xs" variant="default" onClick={onCancel}>
          {t('cancel')}
        </Button>
        <Button size="xs" disabled={isEmpty} onClick={() => onSave(text)}>
          {saveText}
        </Button>
      </Group>
    </Stack>
  );
}

interface AnswerProps {
  answer: Answer;
  isBusy: boolean;
  /** Absent where an answer that others follow is complete. */
  onRegenerate: (() => void) | undefined;
  onEdit: (text: string) => void;
  onDelete: () => void;
  /** Absent where the conversation has gone on. */
  onResult: ((callIndex: number, result: string) => void) | undefined;
  onSendResults: () => void;
}

/** What a model answered, with its tokens, speed and cost. */
function AnswerCard(props: AnswerProps) {
  const t = usePlaygroundTexts();
  const { answer, isBusy, onRegenerate, onEdit, onDelete, onResult, onSendResults } = props;
  const [isEdited, setIsEdited] = useState(false);
  const { model, steps } = answer;
  const last = steps.at(-1);
  const text = textOf(answer);
  return (
    <Paper withBorder p="sm" component="article" aria-label={t('answerOf', { model })} miw={0}>
      <Stack gap="xs">
        <Group justify="space-between" gap="xs" wrap="nowrap">
          <Group gap="xs" miw={0}>
            <Text size="sm" fw={600} className={classes.model!}>
              {model}
            </Text>
            {isWaiting(answer) && <Loader size={14} aria-label={t('waiting')} />}
            {last?.state === 'stopped' && (
              <Badge variant="default" tt="none">
                {t('stopped')}
              </Badge>
            )}
            {last?.finishReason === 'length' && (
              <Badge variant="default" tt="none" title={t('cut.text')}>
                {t('cut')}
              </Badge>
            )}
          </Group>
          <Group gap={0} wrap="nowrap">
            {text !== '' && <CopyButton value={text} label={t('copyAnswer')} />}
            {last && (
              <Tool label={t('answer.edit')} isDisabled={isBusy} onClick={() => setIsEdited(true)}>
                <Pencil size={16} />
              </Tool>
            )}
            {onRegenerate && (
              <Tool label={t('again')} isDisabled={isBusy} onClick={onRegenerate}>
                <RotateCcw size={16} />
              </Tool>
            )}
            {last && (
              <Tool label={t('answer.delete')} isDisabled={isBusy} onClick={onDelete}>
                <Trash2 size={16} />
              </Tool>
            )}
          </Group>
        </Group>
        {!last && (
          <Text size="sm" c="dimmed">
            {t('answer.none')}
          </Text>
        )}
        {steps.map((step, index) => {
          const isLastStep = index === steps.length - 1;
          if (isLastStep && isEdited && !isBusy)
            return (
              <TextEditor
                key={index}
                label={t('answer.edit')}
                initial={step.text}
                saveText={t('save')}
                onSave={(edited) => {
                  setIsEdited(false);
                  onEdit(edited);
                }}
                onCancel={() => setIsEdited(false)}
              />
            );
          return (
            <StepView
              key={index}
              step={step}
              onResult={isLastStep && !isBusy && wantsResults(answer) ? onResult : undefined}
              onRetry={isLastStep && !isBusy ? onRegenerate : undefined}
            />
          );
        })}
        {onResult && wantsResults(answer) && (
          <Group>
            <Button size="xs" disabled={isBusy} onClick={onSendResults}>
              {t('tool.send')}
            </Button>
          </Group>
        )}
      </Stack>
    </Paper>
  );
}

interface StepProps {
  step: Step;
  onResult: ((callIndex: number, result: string) => void) | undefined;
  onRetry: (() => void) | undefined;
}

function StepView({ step, onResult, onRetry }: StepProps) {
  const t = usePlaygroundTexts();
  const { text, reasoning, toolCalls, state, requestId, failure } = step;
  return (
    <>
      {reasoning !== '' && (
        <details>
          <summary className={classes.summary}>{t('reasoning')}</summary>
          <Text size="sm" c="dimmed" className={classes.text!}>
            {reasoning}
          </Text>
        </details>
      )}
      {text !== '' && <Markdown text={jsonAsCode(text, state)} streaming={state === 'waiting'} />}
      {toolCalls.map((call, index) => (
        <ToolCallView key={index} call={call} onResult={onResult && ((result) => onResult(index, result))} />
      ))}
      {failure && <ErrorNotice error={errorOf(failure)} {...(onRetry && { onRetry })} />}
      {requestId && state !== 'waiting' && (
        <Group gap="md" className={classes.facts!}>
          <CallsCost requestIds={[requestId]} />
          <Speed step={step} />
          <Anchor
            size="sm"
            renderRoot={(props) => <Link to="/requests/$requestId" params={{ requestId }} {...props} />}
          >
            {t('request')}
          </Anchor>
        </Group>
      )}
    </>
  );
}

const errorOf = ({ missingAmount, ...facts }: Failure) =>
  new ApiError({
    ...facts,
    missingAmount: missingAmount === undefined ? undefined : Figure.of(missingAmount),
  });

function ToolCallView({
  call,
  onResult,
}: {
  call: ToolCall;
  onResult: ((result: string) => void) | undefined;
}) {
  const t = usePlaygroundTexts();
  const { name } = call;
  return (
    <Paper withBorder p="xs" component="section" aria-label={t('tool.call', { name })}>
      <Stack gap="xs">
        <Text size="sm" fw={600}>
          {t('tool.call', { name })}
        </Text>
        <pre className={classes.arguments} tabIndex={0}>
          {indented(call.arguments)}
        </pre>
        {onResult ? (
          <Textarea
            label={t('tool.result')}
            description={t('tool.result.hint')}
            autosize
            minRows={1}
            maxRows={8}
            value={call.result}
            onChange={(event) => onResult(event.currentTarget.value)}
          />
        ) : (
          call.result !== '' && (
            <Text size="sm" className={classes.text!}>
              {t('tool.result')}: {call.result}
            </Text>
          )
        )}
      </Stack>
    </Paper>
  );
}

/** A complete answer that is one JSON object or list, as a block of code. */
function jsonAsCode(text: string, state: Step['state']): string {
  if (state !== 'complete' || !/^\s*[[{]/.test(text)) return text;
  const json = indented(text);
  return json === text && json.includes('```') ? text : `\`\`\`json\n${json}\n\`\`\``;
}

function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}

const MILLIS_PER_SECOND = 1000;
/** In less time the pieces have arrived together: how fast they were made is then known of the whole call only. */
const LEAST_STREAM_MILLIS = 100;

/** How fast the answer came, as this browser saw it. */
function Speed({ step }: { step: Step }) {
  const t = usePlaygroundTexts();
  const { language } = useLanguage();
  const { firstPieceMillis, millis, outputTokens, state } = step;
  if (state !== 'complete' || firstPieceMillis === undefined || millis === undefined) return null;
  const number = (value: number, digits: number) =>
    new Intl.NumberFormat(language, { maximumFractionDigits: digits }).format(value);
  const rest = millis - firstPieceMillis;
  const measured = rest < LEAST_STREAM_MILLIS ? millis : rest;
  return (
    <>
      {outputTokens !== undefined && measured > 0 && (
        <Text size="sm" c="dimmed" title={t('speed.text')}>
          {t('speed', { tokens: number((outputTokens * MILLIS_PER_SECOND) / measured, 1) })}
        </Text>
      )}
      <Text size="sm" c="dimmed" title={t('firstToken.text')}>
        {t('firstToken', { seconds: number(firstPieceMillis / MILLIS_PER_SECOND, 2) })}
      </Text>
    </>
  );
}
