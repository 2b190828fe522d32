import { Figure } from '../../../figures/figure';
import { type Schemas } from '../../../api/console-api';

export type PriceUnit = Schemas['ModelPriceResponse']['unit'];
/** What a line is the price of: a unit of a model, an hour of a GPU, or what training counts. */
export type LineUnit = PriceUnit | 'hour' | 'training_tokens' | 'training_hour';

/** One price of a list. */
export interface PriceLine {
  /** Name of the model or GPU; empty for training. */
  name: string;
  unit: LineUnit;
  price: Figure;
}

/** What becomes of one price: `after` is undefined if it is removed, `before` if it is new. */
export interface LineChange {
  name: string;
  unit: LineUnit;
  before: Figure | undefined;
  after: Figure | undefined;
}

/** Identifies a price within its list. */
export const keyOfLine = ({ name, unit }: Pick<PriceLine, 'name' | 'unit'>): string => `${unit} ${name}`;

const MOST = Figure.of('1000000');
/** The services count in trillionths of a token, request or hour; prices of tokens are for a million of them. */
const DECIMALS = 12;
const DECIMALS_OF_A_MILLION = 6;

const decimalsOf = (unit: LineUnit): number =>
  unit === 'per_request' || unit === 'hour' || unit === 'training_hour' ? DECIMALS : DECIMALS_OF_A_MILLION;

/** Undefined if the text is not a price that the service takes. */
export function parsePrice(text: string, unit: LineUnit): Figure | undefined {
  const price = Figure.parse(text.trim());
  if (!price || price.isNegative || price.compare(MOST) > 0) return undefined;
  const [, decimals = ''] = price.toString().split('.');
  return decimals.length > decimalsOf(unit) ? undefined : price;
}
