import { Alert, Anchor, Group, Stack, Text } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useSessionState } from '../../api/session';
import { useSite } from '../../api/site';
import { type PlainTextKey } from '../../language/define-texts';
import { useGoOn } from './next-page';
import { ProviderLinks, SignInFrame } from './sign-in-frame';
import { SignInSteps } from './sign-in-steps';
import { type en, useSignInTexts } from './sign-in-texts';

type Key = PlainTextKey<typeof en>;

const KEYS: Record<string, Key> = {
  flow_invalid: 'provider.flowInvalid',
  access_denied: 'provider.accessDenied',
  signup_closed: 'provider.signupClosed',
  email_not_verified: 'provider.emailNotVerified',
  email_taken: 'provider.emailTaken',
  provider_unavailable: 'provider.unavailable',
  account_suspended: 'provider.suspended',
};

/** The text for `#error=<code>`, with which a sign-in through a provider comes back; undefined without an error. */
function providerErrorKey(fragment: string): Key | undefined {
  const code = new URLSearchParams(fragment.replace(/^#/, '')).get('error');
  if (code === null) return undefined;
  return KEYS[code] ?? 'provider.refused';
}

export function SignInPage() {
  const t = useSignInTexts();
  const goOn = useGoOn();
  const navigate = useNavigate();
  const { signup } = useSite();
  const { status } = useSessionState();
  const [providerError] = useState(() => providerErrorKey(window.location.hash));
  useEffect(() => {
    if (window.location.hash) void navigate({ to: '.', search: true, hash: '', replace: true });
  }, [navigate]);
  // Also when another tab signs in.
  useEffect(() => {
    if (status === 'signed-in') goOn();
  }, [status, goOn]);
  return (
    <SignInFrame
      title={t('signIn.title')}
      footer={
        <Stack gap="xs" align="center">
          <Anchor component={Link} to="/forgot-password" size="md">
            {t('forgot.link')}
          </Anchor>
          {signup === 'open' && (
            <Group gap={6} justify="center">
              <Text size="md">{t('register.question')}</Text>
              <Anchor component={Link} to="/register" search size="md">
                {t('register.link')}
              </Anchor>
            </Group>
          )}
        </Stack>
      }
    >
      {providerError && <Alert color="red">{t(providerError)}</Alert>}
      <SignInSteps />
      <ProviderLinks />
    </SignInFrame>
  );
}
