import { Button, Divider, Stack } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useRuntimeConfig } from '../../app/runtime-config';
import { useSite } from '../../site/site';
import { useSignInTexts } from './sign-in-texts';

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
