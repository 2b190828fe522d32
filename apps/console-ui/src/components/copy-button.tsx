import { ActionIcon, Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { Check, Copy } from 'lucide-react';
import { useComponentTexts } from './component-texts';

interface Props {
  value: string;
  /** What is copied, for screen readers: "Copy the key". */
  label?: string;
  /** Shows the label beside the icon. */
  withText?: boolean;
}

export function CopyButton({ value, label, withText = false }: Props) {
  const t = useComponentTexts();
  const { copied, copy } = useClipboard();
  const text = copied ? t('copy.done') : (label ?? t('copy.do'));
  const icon = copied ? <Check size={16} /> : <Copy size={16} />;
  if (withText)
    return (
      <Button variant="default" leftSection={icon} onClick={() => copy(value)}>
        {text}
      </Button>
    );
  return (
    <ActionIcon variant="subtle" color="gray" title={text} aria-label={text} onClick={() => copy(value)}>
      {icon}
    </ActionIcon>
  );
}
