import { Paper, Stack, Text, VisuallyHidden } from '@mantine/core';
import { type Turn } from '../conversation/conversation';
import classes from '../playground.module.css';
import { usePlaygroundTexts } from '../texts/playground-texts';
import { AnswerCard } from './answer-card';

interface Props {
  turns: Turn[];
  isBusy: boolean;
  onRetry: (place: number) => void;
}

export function Turns({ turns, isBusy, onRetry }: Props) {
  const t = usePlaygroundTexts();
  return (
    <Stack gap="lg" role="log" aria-label={t('conversation')} aria-busy={isBusy}>
      {turns.map(({ id, prompt, answers }, index) => (
        <Stack key={id} gap="sm">
          <Paper withBorder p="sm" className={classes.prompt}>
            <VisuallyHidden>{t('you')}</VisuallyHidden>
            <Text size="md" className={classes.text}>
              {prompt}
            </Text>
          </Paper>
          <div className={classes.answers} data-count={answers.length}>
            {answers.map((answer, place) => (
              <AnswerCard
                key={place}
                answer={answer}
                onRetry={index === turns.length - 1 && !isBusy ? () => onRetry(place) : undefined}
              />
            ))}
          </div>
        </Stack>
      ))}
    </Stack>
  );
}
