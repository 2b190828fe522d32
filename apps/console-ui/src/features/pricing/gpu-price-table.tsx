import { type Column } from '../../components/table/column';
import { DataTable } from '../../components/table/data-table';
import { Price } from '../../figures/price';
import { type GpuPrice } from './pricing-queries';
import { usePricingTexts } from './texts/pricing-texts';

export function GpuPriceTable({ gpus }: { gpus: GpuPrice[] }) {
  const t = usePricingTexts();
  const columns: Column<GpuPrice>[] = [
    { key: 'name', title: t('column.gpu'), cell: ({ name }) => name },
    {
      key: 'price',
      title: t('column.hour'),
      isNumber: true,
      cell: ({ hourly_price: price, currency }) => <Price value={price} currency={currency} />,
    },
  ];
  return <DataTable label={t('gpus')} columns={columns} rows={gpus} keyOf={({ name }) => name} />;
}
