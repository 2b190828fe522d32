import { Center, Loader } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useSession } from '../../api/session';
import { ErrorNotice } from '../../components/error-notice';
import { nextPageInFragment, useGoOn } from './next-page';
import { useSignInTexts } from './sign-in-texts';

/** Comes after a sign-in through a provider: the cookie that the console has just set gives the first token. */
export function SignInCompletePage() {
  const t = useSignInTexts();
  const session = useSession();
  const navigate = useNavigate();
  const [returnPage] = useState(() => nextPageInFragment(window.location.hash));
  const goOn = useGoOn(returnPage);
  const [error, setError] = useState<unknown>();
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    session
      .renew()
      .then(
        (token) => (token === undefined ? void navigate({ to: '/sign-in', replace: true }) : goOn()),
        setError,
      );
  }, [session, navigate, goOn, attempt]);
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
