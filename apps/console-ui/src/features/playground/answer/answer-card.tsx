import { Badge, Button, Group, Loader, Paper, Stack, Text } from '@mantine/core';
import { ApiError } from '../../../api/api-error';
import { CopyButton } from '../../../components/copy-button';
import { ErrorNotice } from '../../../components/errors/error-notice';
import { CallsCost } from '../../requests/cost/calls-cost';
import { type Answer } from '../conversation/conversation';
import classes from '../playground.module.css';
import { usePlaygroundTexts } from '../texts/playground-texts';

/** What a model answered, with its tokens and cost. `onRetry`: present for the newest answer. */
export function AnswerCard({ answer, onRetry }: { answer: Answer; onRetry: (() => void) | undefined }) {
  const t = usePlaygroundTexts();
  const { model, text, state, requestId, failure } = answer;
  return (
    <Paper withBorder p="sm" component="article" aria-label={t('answerOf', { model })} miw={0}>
      <Stack gap="xs">
        <Group justify="space-between" gap="xs" wrap="nowrap">
          <Group gap="xs" miw={0}>
            <Text size="sm" fw={600} className={classes.model}>
              {model}
            </Text>
            {state === 'waiting' && <Loader size={14} aria-label={t('waiting')} />}
            {state === 'stopped' && (
              <Badge variant="default" tt="none">
                {t('stopped')}
              </Badge>
            )}
          </Group>
          {text && <CopyButton value={text} label={t('copyAnswer')} />}
        </Group>
        {text && (
          <Text size="md" className={classes.text}>
            {text}
          </Text>
        )}
        {failure && <ErrorNotice error={new ApiError(failure)} {...(onRetry && { onRetry })} />}
        {state === 'stopped' && onRetry && (
          <Group>
            <Button size="xs" variant="default" onClick={onRetry}>
              {t('again')}
            </Button>
          </Group>
        )}
        {requestId && state !== 'waiting' && <CallsCost requestIds={[requestId]} />}
      </Stack>
    </Paper>
  );
}
