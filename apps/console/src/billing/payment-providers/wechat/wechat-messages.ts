import { z } from 'zod';
import { type OrderState, type RefundState } from '../payment-provider';

const capitals = z.string().regex(/^[A-Z]{3}$/);
const identity = {
  appid: z.string(),
  mchid: z.string(),
  out_trade_no: z.string(),
  trade_state_desc: z.string().optional(),
};

/** An order in a query's response or in a notification. */
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

export function orderStateOf(order: Transaction): OrderState {
  switch (order.trade_state) {
    case 'SUCCESS':
      return {
        status: 'paid',
        proof: {
          reference: order.transaction_id,
          amountMinor: BigInt(order.amount.total),
          currency: order.amount.currency,
          paidAt: new Date(order.success_time),
          // WeChat Pay gives the payer's openid only, which is not a name.
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
    // REFUND: it was paid, and all or part of it was refunded since, so there is nothing to credit.
    case 'PAYERROR':
    case 'REFUND':
      return {
        status: 'failed',
        reason: [order.trade_state, order.trade_state_desc].filter(Boolean).join(': '),
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
    // ABNORMAL: the payer's account cannot receive the money, and the merchant has to redirect it at WeChat Pay. It must
    // not count as failed: the money could be given back twice.
    case 'PROCESSING':
    case 'ABNORMAL':
      return { status: 'pending', reference };
  }
}

/** The decrypted resource of a notification about a refund. */
export const refundResource = z.object({
  mchid: z.string(),
  out_refund_no: z.string().min(1),
  out_trade_no: z.string().optional(),
  refund_status: z.string().max(64).optional(),
  /** In fen. */
  amount: z.object({ refund: z.int().nonnegative() }).optional(),
});

/** The decrypted resource of any other notification, as far as it names its merchant and its order. */
export const otherResource = z.looseObject({
  mchid: z.string().optional(),
  out_trade_no: z.string().optional(),
});

/** AES-256-GCM. The last 16 bytes of the ciphertext are the tag. */
export const encryptedResource = z.object({
  algorithm: z.literal('AEAD_AES_256_GCM'),
  ciphertext: z.string().min(24),
  nonce: z.string().min(1),
  associated_data: z.string().default(''),
});

export const notification = z.object({
  id: z.string().min(1).max(64).optional(),
  event_type: z.string().max(64),
  resource: z.unknown(),
});

export const certificateList = z.object({
  data: z.array(z.object({ serial_no: z.string().min(1), encrypt_certificate: encryptedResource })),
});

export const errorBody = z.object({ code: z.string().min(1), message: z.string().default('') });
