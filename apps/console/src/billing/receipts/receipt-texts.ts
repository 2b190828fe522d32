import { type RefundState } from '../documents/refund-state';
import { type Language } from '../../identity/accounts/languages';

export interface ReceiptTexts {
  receipt: string;
  number: string;
  issuedAt: string;
  paidAt: string;
  seller: string;
  buyer: string;
  account: string;
  taxId: string;
  phone: string;
  bank: string;
  bankAccount: string;
  description: string;
  amount: string;
  net: string;
  total: string;
  /** Heading of the table of payment facts. */
  payment: string;
  method: string;
  reference: string;
  paymentId: string;
  /** Heading of the table of refunds. */
  refunds: string;
  /** Note on the receipt of a payment that was given back. */
  refundState: Record<RefundState, string>;
}

const EN: ReceiptTexts = {
  receipt: 'Receipt',
  number: 'Receipt number',
  issuedAt: 'Issued',
  paidAt: 'Paid',
  seller: 'From',
  buyer: 'Received from',
  account: 'Account',
  taxId: 'Tax ID',
  phone: 'Phone',
  bank: 'Bank',
  bankAccount: 'Bank account',
  description: 'Description',
  amount: 'Amount',
  net: 'Net',
  total: 'Total paid',
  payment: 'Payment',
  method: 'Method',
  reference: 'Transaction',
  paymentId: 'Payment number',
  refunds: 'Refunds',
  refundState: { pending: 'Refund in progress', partial: 'Partly refunded', full: 'Refunded in full' },
};

const ZH: ReceiptTexts = {
  receipt: '收据',
  number: '收据编号',
  issuedAt: '开具时间',
  paidAt: '付款时间',
  seller: '收款方',
  buyer: '付款方',
  account: '账户',
  taxId: '税号',
  phone: '电话',
  bank: '开户银行',
  bankAccount: '银行账号',
  description: '项目',
  amount: '金额',
  net: '不含税金额',
  total: '实付金额',
  payment: '付款信息',
  method: '付款方式',
  reference: '交易号',
  paymentId: '付款单号',
  refunds: '退款信息',
  refundState: { pending: '退款处理中', partial: '已部分退款', full: '已全额退款' },
};

export const RECEIPT_TEXTS: Record<Language, ReceiptTexts> = { en: EN, 'zh-CN': ZH };
