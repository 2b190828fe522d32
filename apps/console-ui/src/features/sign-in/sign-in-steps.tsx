import { useState } from 'react';
import { type Challenge } from './challenge';
import { PasswordForm } from './password-form';
import { SecondFactorForm } from './second-factor/second-factor-form';

/** A whole sign-in: the password, and the second factor of accounts that have one. */
export function SignInSteps({ onSignedIn }: { onSignedIn?: () => void }) {
  const [challenge, setChallenge] = useState<Challenge>();
  return challenge ? (
    <SecondFactorForm
      challenge={challenge}
      onSignedIn={onSignedIn}
      onRestart={() => setChallenge(undefined)}
    />
  ) : (
    <PasswordForm onSignedIn={onSignedIn} onChallenge={setChallenge} />
  );
}
