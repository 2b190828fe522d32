import { Figure } from '../../figures/figure';
import { type Unit } from './usage-queries';

const MILLION = Figure.of('1000000');

/** The tokens or requests of a quantity, which is counted in the unit of its price. */
export const countOf = (unit: Unit, quantity: Figure): Figure =>
  unit === 'per_request' ? quantity : quantity.times(MILLION);
