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

const DECIMALS_OF: Record<LineUnit, number> = {
  per_million_tokens: DECIMALS_OF_A_MILLION,
  per_million_input_tokens: DECIMALS_OF_A_MILLION,
  per_million_output_tokens: DECIMALS_OF_A_MILLION,
  per_request: DECIMALS,
  hour: DECIMALS,
  training_tokens: DECIMALS_OF_A_MILLION,
  training_hour: DECIMALS,
};

export const isLineUnit = (text: unknown): text is LineUnit =>
  typeof text === 'string' && Object.hasOwn(DECIMALS_OF, text);

/** Undefined if the text is not a price that the service takes. */
export function parsePrice(text: string, unit: LineUnit): Figure | undefined {
  const price = Figure.parse(text.trim());
  if (!price || price.isNegative || price.compare(MOST) > 0) return undefined;
  const [, decimals = ''] = price.toString().split('.');
  return decimals.length > DECIMALS_OF[unit] ? undefined : price;
}
