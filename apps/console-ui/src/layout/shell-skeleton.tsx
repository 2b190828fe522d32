import { Group, Skeleton } from '@mantine/core';
import classes from './layout.module.css';

/** The header of every page, while the console is asked what the site is. */
export function ShellSkeleton() {
  return (
    <div className={classes.header} aria-busy>
      <Group>
        <Skeleton height={24} width={180} />
      </Group>
    </div>
  );
}
