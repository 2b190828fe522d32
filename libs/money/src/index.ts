export {
  decimalToPicos,
  decimalToScaled,
  InvalidAmountError,
  PICO_DIGITS,
  PICOS_PER_UNIT,
  picosToDecimal,
  scaledToDecimal,
} from './picos';
export { formatDecimal } from './format-decimal';
export { exactNumber, parseExact, stringifyExact, type ExactNumber } from './exact-json';
