import {
  Anchor,
  Badge,
  Group,
  Loader,
  Paper,
  Stack,
  Text,
  Title,
  UnstyledButton,
  VisuallyHidden,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useCallback } from 'react';
import { useMemoApi } from '../../../api/service-apis';
import { Markdown } from '../../../components/markdown/markdown';
import { QueryState } from '../../../components/query-state';
import { Quantity } from '../../../figures/figure-text';
import { formatNumber } from '../../../figures/format-figure';
import { useLanguage } from '../../../language/language';
import {
  answerParts,
  type AnswerPassage,
  type Citation,
  passagesQuery,
  type ShownAnswer,
} from './chat-queries';
import { useChatTexts } from './chat-texts';
import classes from './chat.module.css';

const SHOWN_LINES = 4;

interface Props {
  workspaceId: string;
  answer: ShownAnswer;
  onOpen: (passage: AnswerPassage) => void;
}

/** The passages from which an answer was written. */
export function PassagesPanel({ workspaceId, answer, onOpen }: Props) {
  const t = useChatTexts();
  const query = useQuery(passagesQuery(useMemoApi(), workspaceId, answer));
  return (
    <Stack component="section" gap="xs" aria-label={t('passages')}>
      <div>
        <Title order={2}>{t('passages')}</Title>
        <Text size="sm" c="dimmed" lineClamp={2}>
          {t('passages.for', { question: answer.question })}
        </Text>
      </div>
      <QueryState
        query={query}
        isEmpty={(passages) => passages.length === 0}
        empty={
          <Text size="sm" c="dimmed">
            {t('passages.none')}
          </Text>
        }
      >
        {(passages) => (
          <Stack gap="xs">
            {passages.map((passage) => (
              <UnstyledButton
                key={passage.number.toString()}
                className={classes.passage!}
                onClick={() => onOpen(passage)}
              >
                <Text size="sm" fw={500} className={classes.name!}>
                  [<Quantity value={passage.number} />] {passage.title}
                </Text>
                <Text size="sm" lineClamp={SHOWN_LINES}>
                  {passage.text}
                </Text>
              </UnstyledButton>
            ))}
          </Stack>
        )}
      </QueryState>
    </Stack>
  );
}

export function Question({ text }: { text: string }) {
  const t = useChatTexts();
  return (
    <Paper withBorder p="sm" className={classes.question!}>
      <VisuallyHidden>{t('question.yours')}</VisuallyHidden>
      <Text size="md" className={classes.text!}>
        {text}
      </Text>
    </Paper>
  );
}

interface QuestionProps {
  content: string;
  citations: Citation[];
  /** `running`: more of it is on its way. */
  state: 'running' | 'completed' | 'failed' | 'cancelled';
  onCite?: (citation: Citation) => void;
  /** What stands below the answer once it is stored. */
  children?: ReactNode;
}

/** An answer whose citations are buttons that show the cited passage. */
export function Answer({ content, citations, state, onCite, children }: QuestionProps) {
  const t = useChatTexts();
  const { language } = useLanguage();
  const words = useCallback(
    (text: string) =>
      answerParts(text, citations).map((part, index) =>
        'text' in part ? (
          part.text
        ) : (
          <Anchor
            key={index}
            component="button"
            type="button"
            className={classes.citation!}
            aria-label={t('citation.show', {
              number: formatNumber(part.citation.number, language),
              title: part.citation.title,
            })}
            title={part.citation.title}
            onClick={() => onCite?.(part.citation)}
          >
            [{formatNumber(part.citation.number, language)}]
          </Anchor>
        ),
      ),
    [citations, language, onCite, t],
  );
  return (
    <Paper withBorder p="sm" component="article" aria-label={t('answer')}>
      <Stack gap="xs">
        {state !== 'completed' && (
          <Group gap="xs">
            {state === 'running' ? (
              <Loader size={14} aria-label={t('answer.running')} />
            ) : (
              <Badge variant="default" tt="none">
                {t(`answer.${state}`)}
              </Badge>
            )}
          </Group>
        )}
        <Markdown text={content} streaming={state === 'running'} words={words} />
        {children}
      </Stack>
    </Paper>
  );
}
