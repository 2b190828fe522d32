import { IdField } from '@inference/dto';

export class ReceiptPath {
  @IdField({ description: 'The id of the payment.', noun: 'receipt', prefix: 'pay' })
  paymentId!: string;
}
