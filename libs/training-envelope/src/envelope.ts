import { codeOf } from './envelope-codes';

/** The body of every response of the training service (spec: Training-service envelope). */
export interface Envelope {
  /** 0 on success; otherwise one of the codes of envelope-codes.ts. */
  code: number;
  /** `{}` if the handler returns nothing, and for every error. */
  data: object;
  /** Empty on success. */
  message: string;
}

/** Returns the envelope of an error. The default code is that of the status. */
export const errorEnvelope = (status: number, message: string, code = codeOf(status)): Envelope => ({
  code,
  data: {},
  message,
});
