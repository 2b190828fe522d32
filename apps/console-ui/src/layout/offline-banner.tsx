import { useNetwork } from '@mantine/hooks';
import classes from './layout.module.css';
import { useLayoutTexts } from './texts/layout-texts';

/** Says that the connection is lost. Calls wait meanwhile and go on afterwards (TanStack Query). */
export function OfflineBanner() {
  const t = useLayoutTexts();
  const { online } = useNetwork();
  return <div role="status">{!online && <div className={classes.banner}>{t('offline')}</div>}</div>;
}
