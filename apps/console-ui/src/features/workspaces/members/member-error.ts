import { toApiError } from '../../../api/api-error';

/** The text for a change that would leave a workspace without an admin; undefined if the error says all. */
export const lastAdminErrorKey = (error: unknown): 'member.lastAdmin' | undefined =>
  toApiError(error).status === 409 ? 'member.lastAdmin' : undefined;
