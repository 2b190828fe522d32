import { useNetwork } from '@mantine/hooks';
import { useLayoutTexts } from './layout-texts';
import classes from './layout.module.css';

/** Says that the connection is lost. Calls wait meanwhile and go on afterwards (TanStack Query). */
export function OfflineBanner() {
  const t = useLayoutTexts();
  const { online } = useNetwork();
  return <div role="status">{!online && <div className={classes.banner}>{t('offline')}</div>}</div>;
}
