import { Alert, Anchor, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { bodyOf, useConsoleApi } from '../../api/console-api';
import { useSessionState } from '../../api/session';
import { useSite } from '../../api/site';
import { type PlainTextKey } from '../../language/define-texts';
import { useGoOn } from './next-page';
import { ProviderLinks, SignInFrame } from './sign-in-frame';
import { SignInSteps, Suspended } from './sign-in-steps';
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

/** What a sign-in of a suspended account comes back with; only the console can read it. */
const noticeIn = (fragment: string): string | undefined =>
  new URLSearchParams(fragment.replace(/^#/, '')).get('notice') ?? undefined;

function ProviderSuspension({ notice }: { notice: string }) {
  const t = useSignInTexts();
  const api = useConsoleApi();
  const { data, error } = useQuery({
    queryKey: ['suspension', notice],
    queryFn: () => bodyOf(api.POST('/api/auth/oauth/suspension', { body: { notice } })),
    retry: false,
  });
  if (data) return <Suspended message={data.suspension_message ?? null} contact={data.contact ?? null} />;
  return error ? <Alert color="red">{t('provider.suspended')}</Alert> : null;
}

export function SignInPage() {
  const t = useSignInTexts();
  const goOn = useGoOn();
  const navigate = useNavigate();
  const { signup } = useSite();
  const { status } = useSessionState();
  const [providerError] = useState(() => providerErrorKey(window.location.hash));
  const [notice] = useState(() => noticeIn(window.location.hash));
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
      {notice === undefined ? (
        providerError && <Alert color="red">{t(providerError)}</Alert>
      ) : (
        <ProviderSuspension notice={notice} />
      )}
      <SignInSteps />
      <ProviderLinks />
    </SignInFrame>
  );
}
