export {
  decimalToPicos,
  decimalToScaled,
  exactNumber,
  type ExactNumber,
  formatDecimal,
  InvalidAmountError,
  parseExact,
  PICO_DIGITS,
  PICOS_PER_UNIT,
  picosToDecimal,
  scaledToDecimal,
  stringifyExact,
} from './picos';
