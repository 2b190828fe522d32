import { Stack, Text } from '@mantine/core';
import { useSite } from '../../api/site';
import { Amount } from '../../figures/figure-text';
import { formatNumber } from '../../figures/format-figure';
import { useLanguage } from '../../language/language-context';
import { formatTime } from '../../time/format-time';
import { useTimeZone } from '../../time/time-zone-context';
import { type PriceTerms, type UnitPrice } from './pricing-queries';
import { usePricingTexts } from './pricing-texts';

/** Says when a price holds; empty for one that always does. */
export function useTermsText(): (terms: PriceTerms) => string {
  const t = usePricingTexts();
  const { language } = useLanguage();
  const { timeZone } = useTimeZone();
  const { time_zone: zone } = useSite();
  return ({ min_input_tokens: tokens, service_tier: tier, hours, effective_from: from }) => {
    const [start, end] = hours?.split('-') ?? [];
    return [
      ...(tokens ? [t('condition.tokens', { tokens: formatNumber(tokens, language) })] : []),
      ...(tier ? [t(`condition.${tier}`)] : []),
      ...(start && end ? [t('condition.hours', { from: start, to: end, zone })] : []),
      ...(from
        ? [t('condition.from', { time: formatTime(from, { language, timeZone }), zone: timeZone })]
        : []),
    ].join(t('condition.and'));
  };
}

/** The price of a unit, and below it those with conditions and those to come. `isPlainShown`: the first stands elsewhere. */
export function UnitPrices({ row, isPlainShown = false }: { row: UnitPrice; isPlainShown?: boolean }) {
  const others = [...(row.conditional_prices ?? []), ...(row.upcoming ?? [])];
  const textOf = useTermsText();
  return (
    <Stack gap={0}>
      {!isPlainShown && <Amount value={row.price} currency={row.currency} />}
      {others.map((other) => {
        const terms = textOf(other);
        return (
          <Text key={terms} size="sm" c="dimmed">
            <Amount value={other.price} currency={row.currency} /> · {terms}
          </Text>
        );
      })}
    </Stack>
  );
}
