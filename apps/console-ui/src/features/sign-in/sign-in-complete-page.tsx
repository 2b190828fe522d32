import { Loader, Center } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { HOME } from '../../app/router/layout-routes';
import { ErrorNotice } from '../../components/errors/error-notice';
import { useSession } from '../../session/session-context';
import { useSignInTexts } from './texts/sign-in-texts';

/** Comes after a sign-in through a provider: the cookie that the console has just set gives the first token. */
export function SignInCompletePage() {
  const t = useSignInTexts();
  const session = useSession();
  const navigate = useNavigate();
  const [error, setError] = useState<unknown>();
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    session
      .renew()
      .then(
        (token) => void navigate({ to: token === undefined ? '/sign-in' : HOME, replace: true }),
        setError,
      );
  }, [session, navigate, attempt]);
  const retry = () => {
    setError(undefined);
    setAttempt(attempt + 1);
  };
  if (error) return <ErrorNotice error={error} onRetry={retry} />;
  return (
    <Center mih="40vh">
      <Loader aria-label={t('complete.waiting')} />
    </Center>
  );
}
