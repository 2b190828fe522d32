import { type Currency } from '@inference/config';
import {
  ChoiceField,
  CurrencyProperty,
  EmailField,
  IdField,
  InstantProperty,
  LineField,
  MoneyProperty,
  NextCursorProperty,
  TextField,
} from '@inference/dto';
import { type ExactNumber } from '@inference/money';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { Matches } from 'class-validator';

const VISIBLE = /[^\p{Default_Ignorable_Code_Point}\p{White_Space}\p{Cc}\p{Cf}]/u;
const TAX_ID = /^[0-9A-Za-z]{15,20}$/;

const BUYER_TYPES = ['personal', 'company'] as const;
type BuyerType = (typeof BUYER_TYPES)[number];

const INVOICE_STATUSES = ['issued', 'processing', 'official', 'refused'] as const;
/**
 * issued      no tax authority's file is requested; the download is our own PDF
 * processing  the tax authority's file is requested; the download is our own PDF until it arrives
 * official    the download is the tax authority's file
 * refused     the issuer refused the invoice; the download is our own PDF
 */
export type InvoiceStatus = (typeof INVOICE_STATUSES)[number];

const inCapitals = ({ value }: { value: unknown }): unknown =>
  typeof value === 'string' ? value.toUpperCase() : value;

export class CreateInvoiceDto {
  @IdField({
    description: 'The payment, which must be paid and not refunded.',
    noun: 'payment',
    prefix: 'pay',
  })
  payment_id!: string;

  @ChoiceField(BUYER_TYPES, { description: 'What the buyer is.', example: 'company' })
  type!: BuyerType;

  @Matches(VISIBLE, { message: 'must not be empty' })
  @LineField({ description: 'The name of the buyer.', example: '上海某某信息技术有限公司', maxLength: 200 })
  title!: string;

  @Transform(inCapitals)
  @TextField({
    description:
      'Unified social credit code (统一社会信用代码) or taxpayer id (纳税人识别号). Required for a company.',
    example: '91310000MA1FL0AB3C',
    pattern: [TAX_ID, 'must have 15 to 20 digits and letters'],
    trim: true,
    optional: true,
  })
  tax_id?: string;

  @EmailField({
    description: 'Address to which the invoice is mailed. By default the address of the account.',
    optional: true,
  })
  email?: string;
}

export class InvoicePath {
  @IdField({ description: 'The id of the payment.', noun: 'invoice', prefix: 'pay' })
  paymentId!: string;
}

export class InvoiceResponse {
  @ApiProperty({ description: 'Names the invoice.', example: 'doc_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  id!: string;

  @ApiProperty({ description: 'Consecutive within a year, without gaps.', example: 'INV-2026-000001' })
  number!: string;

  @ApiProperty({ description: 'The payment.', example: 'pay_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  payment_id!: string;

  @ApiProperty({ description: 'What the buyer is.', enum: BUYER_TYPES, example: 'company' })
  type!: BuyerType;

  @ApiProperty({ description: 'The name of the buyer.', example: '上海某某信息技术有限公司' })
  title!: string;

  @ApiProperty({
    description: 'The tax id of the buyer, in capitals; null for a person who named none.',
    type: String,
    nullable: true,
    example: '91310000MA1FL0AB3C',
  })
  tax_id!: string | null;

  @ApiProperty({
    description: 'Address to which the invoice is mailed; null: the address of the account.',
    type: String,
    nullable: true,
    example: 'ann@example.com',
  })
  email!: string | null;

  @MoneyProperty({ description: 'What was paid, taxes included, in the currency.', example: 1234.56 })
  amount!: ExactNumber;

  @MoneyProperty({ description: 'What was given back of the payment since, in the currency.', example: 0 })
  refunded_amount!: ExactNumber;

  @CurrencyProperty({ description: 'The currency of the payment.' })
  currency!: Currency;

  @ApiProperty({
    description:
      'What the download is. `official`: the file of the tax authority. The others: a PDF of the site, because no such file is requested (`issued`), it has not arrived (`processing`), or its issuer refuses it (`refused`).',
    enum: INVOICE_STATUSES,
    example: 'issued',
  })
  status!: InvoiceStatus;

  @InstantProperty({ description: 'When the invoice was issued.' })
  issued_at!: string;

  @ApiProperty({
    description: 'Where the file can be downloaded.',
    example: 'https://console.example.cn/api/billing/invoices/pay_0Vc3kZ8dQ1mXw7RtYb2LsA/download',
  })
  download_url!: string;
}

export class InvoiceListResponse {
  @ApiProperty({ description: 'The account’s invoices, newest first.', type: [InvoiceResponse] })
  invoices!: InvoiceResponse[];

  @NextCursorProperty()
  next_cursor!: string | null;
}
