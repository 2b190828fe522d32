import { ActionIcon, type MantineBreakpoint } from '@mantine/core';
import { type ComponentType, type ReactNode, useState } from 'react';
import { OptionalPart } from '../failures/optional-part';

interface Props {
  label: string;
  icon: ReactNode;
  hiddenFrom?: MantineBreakpoint;
  /** Made by `lazy`. It has a button of its own, and is open at first. */
  menu: ComponentType;
}

/** A button whose menu is loaded when it is first opened: menus would be an eighth of what the sign-in loads. */
export function MenuButton({ label, icon, hiddenFrom, menu: LazyMenu }: Props) {
  const [isWanted, setIsWanted] = useState(false);
  const button = (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      aria-label={label}
      aria-haspopup="menu"
      onClick={() => setIsWanted(true)}
      {...(hiddenFrom && { hiddenFrom })}
    >
      {icon}
    </ActionIcon>
  );
  if (!isWanted) return button;
  return (
    <OptionalPart fallback={button}>
      <LazyMenu />
    </OptionalPart>
  );
}
