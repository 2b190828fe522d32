import { Group, Stack, Text, Title, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemoApi } from '../../../api/service-apis';
import { QueryState } from '../../../components/query-state';
import { type Figure } from '../../../figures/figure';
import { Quantity } from '../../../figures/quantity';
import { useLanguage } from '../../../language/language-context';
import { useWorkspaceTexts } from '../workspace-texts';
import { type AnswerPassage, passagesQuery, type ShownAnswer } from './chat-queries';
import classes from './chat.module.css';

const SCORE_DIGITS = 3;
const SHOWN_LINES = 4;

interface Props {
  workspaceId: string;
  answer: ShownAnswer;
  onOpen: (passage: AnswerPassage) => void;
}

/** The passages from which an answer was written, with their scores. */
export function PassagesPanel({ workspaceId, answer, onOpen }: Props) {
  const t = useWorkspaceTexts();
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
                <Group justify="space-between" gap="xs" wrap="nowrap">
                  <Text size="sm" fw={500} className={classes.name!}>
                    [<Quantity value={passage.number} />] {passage.title}
                  </Text>
                  <Score value={passage.score} />
                </Group>
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

/** A score in three digits. Its title has all of them. */
function Score({ value }: { value: Figure }) {
  const t = useWorkspaceTexts();
  const { language } = useLanguage();
  const text = new Intl.NumberFormat(language, { maximumSignificantDigits: SCORE_DIGITS }).format(
    value.toString() as `${number}`,
  );
  return (
    <Text
      component="data"
      value={value.toString()}
      size="sm"
      c="dimmed"
      className="figure"
      title={value.toString()}
    >
      {t('score', { score: text })}
    </Text>
  );
}
