import { Group } from '@mantine/core';
import { type ReactNode } from 'react';
import classes from './part-links.module.css';

/** Links to the pages of an area, above the one that is open. */
export function PartLinks({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Group component="nav" aria-label={label} gap={4} className={classes.parts}>
      {children}
    </Group>
  );
}
