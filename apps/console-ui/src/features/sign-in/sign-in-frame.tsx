import { Paper, Stack } from '@mantine/core';
import { type ReactNode } from 'react';
import { Page } from '../../components/page';
import classes from './sign-in.module.css';

/** A narrow page with one form. `footer`: where else the visitor may want to go. */
export function SignInFrame({
  title,
  footer,
  children,
}: {
  title: string;
  footer?: ReactNode;
  children: ReactNode;
}) {
  return (
    <div className={classes.frame}>
      <Page title={title} width="narrow">
        <Paper withBorder p="lg">
          <Stack>{children}</Stack>
        </Paper>
        {footer}
      </Page>
    </div>
  );
}
