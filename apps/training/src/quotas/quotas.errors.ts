import { ApiException, CODES } from '@inference/training-envelope';

/** 404: the account does not exist. */
export const accountUnknown = () => new ApiException(CODES.accountUnknown, 'no such account');
