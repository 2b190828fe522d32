import { Paper, Stack, Title } from '@mantine/core';
import { type ReactNode } from 'react';
import { usePageTitle } from '../../components/use-page-title';
import classes from './sign-in.module.css';

/** A narrow page with one form, made of the few components whose styles every visit loads. `footer`: where else the visitor may want to go. */
export function SignInFrame({
  title,
  footer,
  children,
}: {
  title: string;
  footer?: ReactNode;
  children: ReactNode;
}) {
  usePageTitle(title);
  return (
    <Stack gap="lg" className={classes.frame}>
      <Title order={1}>{title}</Title>
      <Paper withBorder p="lg">
        <Stack>{children}</Stack>
      </Paper>
      {footer}
    </Stack>
  );
}
