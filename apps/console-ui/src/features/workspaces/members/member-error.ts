import { toApiError } from '../../../api/api-error';

/** Errors of the members' pages that have a text of their own. */
export type MemberErrorKey = 'member.unknown' | 'member.exists' | 'member.lastAdmin';

/** The text for an account that cannot be added; undefined if the error says all. */
export function additionErrorKey(error: unknown): MemberErrorKey | undefined {
  const { status } = toApiError(error);
  if (status === 404) return 'member.unknown';
  return status === 409 ? 'member.exists' : undefined;
}

/** The text for a change that would leave a workspace without an admin; undefined if the error says all. */
export const lastAdminErrorKey = (error: unknown): MemberErrorKey | undefined =>
  toApiError(error).status === 409 ? 'member.lastAdmin' : undefined;
