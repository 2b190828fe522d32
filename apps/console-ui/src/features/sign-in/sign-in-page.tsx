import { Alert, Anchor, Group, Stack, Text } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useSessionState } from '../../session/session-context';
import { useSite } from '../../site/site';
import { providerErrorKey } from './provider-error';
import { ProviderLinks } from './provider-links';
import { SignInFrame } from './sign-in-frame';
import { SignInSteps } from './sign-in-steps';
import { useSignInTexts } from './texts/sign-in-texts';
import { useGoOn } from './use-go-on';

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
