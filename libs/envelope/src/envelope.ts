import { codeOf } from './envelope-codes';

/** What every answer of the training service looks like (spec: Training-service envelope). */
export interface Envelope {
  /** 0 on success; otherwise one of the codes of envelope-codes.ts. */
  code: number;
  /** `{}` when there is nothing to say, and with every error. */
  data: object;
  /** Empty on success. */
  message: string;
}

/** An error, under the code of its status unless it has one of its own. */
export const errorEnvelope = (status: number, message: string, code = codeOf(status)): Envelope => ({
  code,
  data: {},
  message,
});
