import { CURRENCIES } from '@inference/config';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';

export interface PropertyOptions {
  description: string;
  example?: unknown;
  nullable?: boolean;
  /** The member may be absent. */
  optional?: boolean;
}

const property = ({ optional = false, ...options }: PropertyOptions, schema: ApiPropertyOptions) =>
  ApiProperty({ ...schema, ...options, required: !optional } as ApiPropertyOptions);

/** An amount in a response: a JSON number with all digits of the ledger. */
export const MoneyProperty = (options: PropertyOptions) =>
  property(
    { ...options, description: `${options.description} Exact: all digits of the ledger.` },
    { type: 'number' },
  );

/** The currency of a response. */
export const CurrencyProperty = (options: PropertyOptions = { description: 'The currency of the site.' }) =>
  property(options, { type: 'string', enum: CURRENCIES });

/** A time in a response, in UTC. */
export const InstantProperty = (options: PropertyOptions) =>
  property({ example: '2026-01-31T12:30:00.000Z', ...options }, { type: 'string', format: 'date-time' });

/** The cursor of the next page. */
export const NextCursorProperty = () =>
  property(
    { description: 'The `cursor` of the next page; null on the last page.', nullable: true },
    { type: 'string' },
  );
