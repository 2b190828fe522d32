import { Button, Divider, Paper, Stack, Title } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { type ReactNode } from 'react';
import { useRuntimeConfig, useSite } from '../../api/site';
import { usePageTitle } from '../../components/page-title';
import { useSignInTexts } from './sign-in-texts';
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

/** Sign-in through the OpenID Connect providers of the site. */
export function ProviderLinks() {
  const t = useSignInTexts();
  const { apiUrl } = useRuntimeConfig();
  const { oauth_providers: providers } = useSite();
  const { next }: { next?: string } = useSearch({ strict: false });
  const query = next === undefined ? '' : `?return_to=${encodeURIComponent(next)}`;
  if (providers.length === 0) return null;
  return (
    <Stack gap="xs">
      <Divider label={t('provider.or')} />
      {providers.map((name) => (
        <Button
          key={name}
          component="a"
          href={`${apiUrl}/api/auth/oauth/${encodeURIComponent(name)}${query}`}
          variant="default"
        >
          {t('provider.signIn', { name })}
        </Button>
      ))}
    </Stack>
  );
}
