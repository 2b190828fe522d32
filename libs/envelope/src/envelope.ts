/** What every answer of the training service looks like (spec: Training-service envelope). */
export interface Envelope<Data extends object = object> {
  /** 0 on success; otherwise one of the codes of envelope-codes.ts. */
  code: number;
  /** `{}` when there is nothing to say, and with every error. */
  data: Data;
  /** Empty on success. */
  message: string;
}
