import { formatDecimal } from '@inference/money';
import { minorToDecimal } from '../payments/minor-amount';

/** Formats an amount in hundredths: `1,234,567.80`. */
export const formatMinorAmount = (minor: bigint): string => formatDecimal(minorToDecimal(minor));
