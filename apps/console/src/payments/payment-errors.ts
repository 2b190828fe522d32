/** A provider speaks of a payment that is not there. */
export class UnknownPayment extends Error {
  constructor(readonly paymentId: string) {
    super(`there is no payment ${paymentId}`);
  }
}

/** A provider's proof and the payment do not agree: somebody has to look at it. */
export class PaymentMismatch extends Error {
  constructor(
    readonly paymentId: string,
    readonly reason: string,
  ) {
    super(`${paymentId}: ${reason}`);
  }
}
