import { Badge } from '@mantine/core';
import { type LoggedRequest } from './request-queries';
import { useRequestTexts } from './request-texts';

const COLORS = { completed: 'green', disconnected: 'gray', interrupted: 'orange', refused: 'gray' } as const;

export function OutcomeBadge({ outcome }: { outcome: LoggedRequest['outcome'] }) {
  const t = useRequestTexts();
  return (
    <Badge variant="dot" color={COLORS[outcome]} tt="none" fw={500} title={t(`outcome.${outcome}.text`)}>
      {t(`outcome.${outcome}`)}
    </Badge>
  );
}
