import { Button, Divider } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { HOME } from '../../../app/router/layout-routes';
import { useSessionState } from '../../../session/session-context';
import { SignInFrame } from '../../sign-in/sign-in-frame';
import { DoneNotice } from '../done-notice';
import { useRecoveryTexts } from '../texts/recovery-texts';
import { useMailToken } from '../use-mail-token';
import { ConfirmationForm } from './confirmation-form';
import { NewMailForm } from './new-mail-form';

/** A link of a mail leads here with its token; without a link people enter the code of the mail, or ask for a new one. */
export function VerifyEmailPage() {
  const t = useRecoveryTexts();
  const token = useMailToken();
  const { status } = useSessionState();
  const [isDone, setIsDone] = useState(false);
  const [isRefused, setIsRefused] = useState(false);
  if (isDone)
    return (
      <SignInFrame title={t('verify.title')}>
        <DoneNotice title={t('verify.done')}>{t('verify.doneText')}</DoneNotice>
        <Button component={Link} to={status === 'signed-out' ? '/sign-in' : HOME}>
          {status === 'signed-out' ? t('signIn.go') : t('verify.goOn')}
        </Button>
      </SignInFrame>
    );
  return (
    <SignInFrame title={t('verify.title')}>
      <ConfirmationForm token={token} onDone={() => setIsDone(true)} onRefused={() => setIsRefused(true)} />
      {(token === undefined || isRefused) && (
        <>
          <Divider />
          <NewMailForm />
        </>
      )}
    </SignInFrame>
  );
}
