import { TextInput, type TextInputProps } from '@mantine/core';
import { readAmount } from '../figures/typed-amount';
import { type Currency, symbolOf } from '../figures/format-figure';
import { type ChineseTexts, defineTexts } from '../language/define-texts';

const en = {
  syntax:
    'Write a point before the decimals, at most {{decimals}}, and no thousands separators: 1050 or 1050.50.',
} as const;

const zh: ChineseTexts<typeof en> = {
  syntax: '小数点请使用“.”，最多 {{decimals}} 位小数，且不要使用千位分隔符，例如 1050 或 1050.50。',
};

const useAmountTexts = defineTexts('amount-field', en, zh);

/** A field for an amount of money (`readAmount`). */
export function AmountField({ currency, ...input }: TextInputProps & { currency: Currency }) {
  return <TextInput inputMode="decimal" autoComplete="off" leftSection={symbolOf(currency)} {...input} />;
}

/** Tells how an amount is written, if a text is none. What is missing if it is empty, and bounds, the form tells. */
export function useAmountSyntaxError(): (text: string, decimals: number) => string | null {
  const t = useAmountTexts();
  return (text, decimals) =>
    text.trim() === '' || readAmount(text, decimals, { isSigned: true }) ? null : t('syntax', { decimals });
}
