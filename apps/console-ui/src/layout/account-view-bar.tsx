import { Button, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect } from 'react';
import { type AccountView, leaveAccountView } from '../api/account-view';
import { endAccountView } from '../api/authorized-fetch';
import { useSession } from '../api/session';
import { useRuntimeConfig } from '../api/site';
import { Time } from '../time/time';
import { useConsoleLayoutTexts } from './console-layout-texts';
import classes from './account-view-bar.module.css';

/** A longer delay of `setTimeout` overflows; a view is much shorter, but the clock of a computer may be wrong. */
const MAX_DELAY_MILLIS = 2 ** 31 - 1;

/** Says that the pages show a customer to a person of the staff, until when, and ends it. */
export default function AccountViewBar({ view }: { view: AccountView }) {
  const t = useConsoleLayoutTexts();
  const session = useSession();
  const { apiUrl } = useRuntimeConfig();
  const end = useMutation({
    mutationFn: () => endAccountView(session, apiUrl, view),
    // If the console cannot be told, it ends by itself; nothing of it is shown any more.
    onSettled: leaveAccountView,
  });
  useEffect(() => {
    const { dataset } = document.documentElement;
    dataset['accountView'] = '';
    return () => void delete dataset['accountView'];
  }, []);
  useEffect(() => {
    const delay = Math.max(0, Date.parse(view.expiresAt) - Date.now());
    const timer = setTimeout(leaveAccountView, Math.min(delay, MAX_DELAY_MILLIS));
    return () => clearTimeout(timer);
  }, [view.expiresAt]);
  return (
    <section className={classes.bar} aria-label={t('view.label')}>
      <div className={classes.text}>
        <Text size="sm" fw={600} truncate title={view.email}>
          {view.email}
        </Text>
        <Text size="sm" className={classes.meaning}>
          {t('view.text')}
        </Text>
      </div>
      <Text size="sm" className={classes.until}>
        {t('view.until')}
        <Time value={view.expiresAt} />
      </Text>
      <Button
        size="compact-sm"
        variant="white"
        color="dark"
        loading={end.isPending}
        onClick={() => end.mutate()}
      >
        {t('view.end')}
      </Button>
    </section>
  );
}
