import { type Schemas } from '../../api/console-api';

export type Challenge = Schemas['LoginChallenge'];

/** Reads the challenge of a sign-in through a provider from the fragment of the address. */
export function challengeInFragment(fragment: string): Challenge | undefined {
  const values = new URLSearchParams(fragment.replace(/^#/, ''));
  const id = values.get('challenge');
  const methods = values.get('methods')?.split(',') ?? [];
  if (!id) return undefined;
  return {
    id,
    methods: methods.filter((method) => method === 'totp' || method === 'recovery_code'),
    expires_at: values.get('expires_at') ?? '',
  };
}
