import { z } from 'zod';

export const SIGN_UP_CONFIG = Symbol('SIGN_UP_CONFIG');

export const signUpFields = {
  /** `closed` answers 403 to registrations and to first sign-ins through a provider. */
  SIGNUP: z.enum(['open', 'closed'], 'must be open or closed').default('open'),
};

type Fields = z.output<z.ZodObject<typeof signUpFields>>;

export interface SignUpConfig {
  /** Whether anybody may make an account. */
  isOpen: boolean;
}

export function signUpOf({ SIGNUP }: Fields): SignUpConfig {
  return { isOpen: SIGNUP === 'open' };
}
