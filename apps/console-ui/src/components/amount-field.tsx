import { TextInput, type TextInputProps } from '@mantine/core';
import { readAmount } from '../figures/typed-amount';
import { type Currency, symbolOf } from '../figures/format-figure';
import { useComponentTexts } from './component-texts';

/** A field for an amount of money (`readAmount`). */
export function AmountField({ currency, ...input }: TextInputProps & { currency: Currency }) {
  return <TextInput inputMode="decimal" autoComplete="off" leftSection={symbolOf(currency)} {...input} />;
}

/** Tells how an amount is written, if a text is none. What is missing if it is empty, and bounds, the form tells. */
export function useAmountSyntaxError(): (text: string, decimals: number) => string | null {
  const t = useComponentTexts();
  return (text, decimals) =>
    text.trim() === '' || readAmount(text, decimals, { isSigned: true })
      ? null
      : t('amount.syntax', { decimals });
}
