import { ApiErrors, CodedErrorResponse, type Reason } from '@inference/openapi';

/** Like `ApiErrors`, for errors that may have a `code`. */
export const ApiCodedErrors = (reasons: Record<number, Reason>) => ApiErrors(reasons, CodedErrorResponse);
