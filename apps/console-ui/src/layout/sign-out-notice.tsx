import { Alert } from '@mantine/core';
import { CloudOff } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { useSession } from '../api/session';
import { useLayoutTexts } from './layout-texts';
import classes from './layout.module.css';

/** Says that the console does not know of the sign-out yet: somebody else could use the session of this browser. */
export function SignOutNotice() {
  const t = useLayoutTexts();
  const session = useSession();
  const isPending = useSyncExternalStore(
    session.subscribe,
    () => session.isSignOutPending,
    () => false,
  );
  return (
    <div role="status" className={classes.notice}>
      {isPending && (
        <Alert variant="default" icon={<CloudOff size={18} />} title={t('signOut.pending.title')}>
          {t('signOut.pending.text')}
        </Alert>
      )}
    </div>
  );
}
