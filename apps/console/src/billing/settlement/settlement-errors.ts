/** A provider reported a payment that does not exist here. */
export class UnknownPaymentError extends Error {
  constructor(readonly paymentId: string) {
    super(`no such payment: ${paymentId}`);
  }
}

/** A provider's proof contradicts the payment. An operator has to look at it. */
export class PaymentMismatchError extends Error {
  constructor(
    readonly paymentId: string,
    readonly reason: string,
  ) {
    super(`${paymentId}: ${reason}`);
  }
}
