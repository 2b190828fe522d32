import { Badge } from '@mantine/core';
import { type Schemas } from '../../api/console-api';
import { useServingTexts } from './admin-serving-texts';

type Props = Pick<Schemas['UpstreamStateResponse'], 'state' | 'is_up' | 'open_models'>;

/** Whether an upstream gets calls and answers them. */
export function UpstreamStatus({ state, is_up: isUp, open_models: openModels }: Props) {
  const t = useServingTexts();
  const [color, text] =
    state !== 'active'
      ? ['gray', t(`status.${state}`)]
      : isUp === false
        ? ['red', t('status.down')]
        : openModels.length > 0
          ? ['orange', t('status.failing', { models: openModels.join(', ') })]
          : isUp
            ? ['green', t('status.up')]
            : ['gray', t('status.unknown')];
  return (
    <Badge variant="dot" color={color} tt="none" fw={500}>
      {text}
    </Badge>
  );
}
