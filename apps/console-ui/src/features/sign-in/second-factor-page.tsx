import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { challengeInFragment } from './challenge';
import { nextPageInFragment, useGoOn } from './next-page';
import { SignInFrame } from './sign-in-frame';
import { SecondFactorForm } from './sign-in-steps';
import { useSignInTexts } from './sign-in-texts';

/** The second factor after a sign-in through a provider, which hands its challenge over in the fragment of the address. */
export function SecondFactorPage() {
  const t = useSignInTexts();
  const navigate = useNavigate();
  const [returnPage] = useState(() => nextPageInFragment(window.location.hash));
  const goOn = useGoOn(returnPage);
  const [challenge] = useState(() => challengeInFragment(window.location.hash));
  const restart = () => void navigate({ to: '/sign-in', replace: true });
  useEffect(() => {
    // The challenge stands for the password: neither the address nor the history keeps it.
    if (window.location.hash) void navigate({ to: '.', hash: '', replace: true });
    else if (!challenge) void navigate({ to: '/sign-in', replace: true });
  }, [challenge, navigate]);
  if (!challenge) return null;
  return (
    <SignInFrame title={t('secondFactor.title')}>
      <SecondFactorForm challenge={challenge} onSignedIn={goOn} onRestart={restart} />
    </SignInFrame>
  );
}
