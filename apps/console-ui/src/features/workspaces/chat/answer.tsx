import { Anchor, Badge, Group, Loader, Paper, Stack, Text, VisuallyHidden } from '@mantine/core';
import { type ReactNode } from 'react';
import { formatNumber } from '../../../figures/format-figure';
import { useLanguage } from '../../../language/language-context';
import { useWorkspaceTexts } from '../workspace-texts';
import { answerParts, type Citation } from './chat-queries';
import classes from './chat.module.css';

export function Question({ text }: { text: string }) {
  const t = useWorkspaceTexts();
  return (
    <Paper withBorder p="sm" className={classes.question!}>
      <VisuallyHidden>{t('question.yours')}</VisuallyHidden>
      <Text size="md" className={classes.text!}>
        {text}
      </Text>
    </Paper>
  );
}

interface Props {
  content: string;
  citations: Citation[];
  /** `running`: more of it is on its way. */
  state: 'running' | 'completed' | 'failed' | 'cancelled';
  onCite?: (citation: Citation) => void;
  /** What stands below the answer once it is stored. */
  children?: ReactNode;
}

/** An answer whose citations are buttons that show the cited passage. */
export function Answer({ content, citations, state, onCite, children }: Props) {
  const t = useWorkspaceTexts();
  const { language } = useLanguage();
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
        <Text size="md" component="div" className={classes.text!}>
          {answerParts(content, citations).map((part, index) =>
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
          )}
        </Text>
        {children}
      </Stack>
    </Paper>
  );
}
