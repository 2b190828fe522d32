import { z } from 'zod';
import { type OrderState, type RefundState } from '../payment-provider';

const capitals = z.string().regex(/^[A-Z]{3}$/);
const identity = {
  appid: z.string(),
  mchid: z.string(),
  out_trade_no: z.string(),
  trade_state_desc: z.string().optional(),
};

/** An order, as a query and a notification tell it. */
export const transaction = z.discriminatedUnion('trade_state', [
  z.object({
    ...identity,
    trade_state: z.literal('SUCCESS'),
    transaction_id: z.string().min(1),
    success_time: z.iso.datetime({ offset: true }),
    /** In fen. */
    amount: z.object({ total: z.int().min(0), currency: capitals }),
  }),
  z.object({
    ...identity,
    trade_state: z.enum(['NOTPAY', 'USERPAYING', 'ACCEPT', 'CLOSED', 'REVOKED', 'PAYERROR', 'REFUND']),
  }),
]);
export type Transaction = z.output<typeof transaction>;

export function orderStateOf(told: Transaction): OrderState {
  switch (told.trade_state) {
    case 'SUCCESS':
      return {
        status: 'paid',
        proof: {
          reference: told.transaction_id,
          amountMinor: BigInt(told.amount.total),
          currency: told.amount.currency,
          paidAt: new Date(told.success_time),
          // The openid that it tells is nobody's name.
          payer: { name: null, email: null },
        },
      };
    case 'NOTPAY':
    case 'USERPAYING':
    case 'ACCEPT':
      return { status: 'open' };
    case 'CLOSED':
    case 'REVOKED':
      return { status: 'expired' };
    // REFUND: it was paid and the money, or a part of it, has gone back since, so there is nothing to credit.
    case 'PAYERROR':
    case 'REFUND':
      return {
        status: 'failed',
        reason: [told.trade_state, told.trade_state_desc].filter(Boolean).join(': '),
      };
  }
}

export const openedOrder = z.object({ code_url: z.string().min(1) });

export const refund = z.object({
  refund_id: z.string().min(1),
  out_refund_no: z.string(),
  status: z.enum(['SUCCESS', 'PROCESSING', 'CLOSED', 'ABNORMAL']),
});

export function refundStateOf({ refund_id: reference, status }: z.output<typeof refund>): RefundState {
  switch (status) {
    case 'SUCCESS':
      return { status: 'succeeded', reference };
    case 'CLOSED':
      return { status: 'failed', reason: 'CLOSED: WeChat Pay closed the refund' };
    // ABNORMAL: the payer's account cannot take the money, and the merchant has to direct it elsewhere at WeChat Pay.
    // Until then it is neither here nor there: taken for failed, it could be given back twice.
    case 'PROCESSING':
    case 'ABNORMAL':
      return { status: 'pending', reference };
  }
}

/** What is under a resource's encryption when it is about a refund. */
export const refundNews = z.object({ mchid: z.string(), out_refund_no: z.string().min(1) });

/** AES-256-GCM: 16 bytes of it are the tag. */
export const encrypted = z.object({
  algorithm: z.literal('AEAD_AES_256_GCM'),
  ciphertext: z.string().min(24),
  nonce: z.string().min(1),
  associated_data: z.string().default(''),
});

export const notification = z.object({ event_type: z.string(), resource: z.unknown() });

export const certificates = z.object({
  data: z.array(z.object({ serial_no: z.string().min(1), encrypt_certificate: encrypted })),
});

export const fault = z.object({ code: z.string().min(1), message: z.string().default('') });
