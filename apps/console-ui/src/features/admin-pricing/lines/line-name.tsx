import { Text } from '@mantine/core';
import { useAdminPricingTexts } from '../admin-pricing-texts';
import { type LineUnit } from './price-line';

/** Name and unit of a price: `sandbox-chat · per million input tokens`. */
export function useLineName(): (line: { name: string; unit: LineUnit }) => string {
  const t = useAdminPricingTexts();
  return ({ name, unit }) => (name ? `${name} · ${t(`unit.${unit}`)}` : t(`unit.${unit}`));
}

export function LineName({ name, unit }: { name: string; unit: LineUnit }) {
  const t = useAdminPricingTexts();
  return (
    <>
      {name && (
        <Text inherit fw={500}>
          {name}
        </Text>
      )}
      <Text inherit {...(name && { c: 'dimmed' })}>
        {t(`unit.${unit}`)}
      </Text>
    </>
  );
}
