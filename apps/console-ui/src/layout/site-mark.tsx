import { Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useSite } from '../site/site';
import classes from './layout.module.css';

/** The name of the site, which leads to the start page. */
export function SiteMark() {
  const { name } = useSite();
  return (
    <Link to="/" className={classes.mark}>
      <Group gap="xs" wrap="nowrap">
        <img src="/favicon.svg" alt="" width={24} height={24} />
        <Text fw={600} size="md" truncate>
          {name}
        </Text>
      </Group>
    </Link>
  );
}
