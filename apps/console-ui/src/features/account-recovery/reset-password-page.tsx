import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { SignInFrame } from '../sign-in/sign-in-frame';
import { FooterLink } from './footer-link';
import { NewPasswordForm } from './new-password-form';
import { DoneNotice } from './done-notice';
import { useRecoveryTexts } from './texts/recovery-texts';
import { useMailToken } from './use-mail-token';

/** A link of a mail leads here with its token; without a link people enter the code of the mail. */
export function ResetPasswordPage() {
  const t = useRecoveryTexts();
  const token = useMailToken();
  const [isDone, setIsDone] = useState(false);
  if (isDone)
    return (
      <SignInFrame title={t('reset.title')}>
        <DoneNotice title={t('reset.done')}>{t('reset.doneText')}</DoneNotice>
        <Button component={Link} to="/sign-in">
          {t('signIn.go')}
        </Button>
      </SignInFrame>
    );
  return (
    <SignInFrame
      title={t('reset.title')}
      footer={
        <FooterLink question={t('reset.noMail')} to="/forgot-password">
          {t('reset.newMail')}
        </FooterLink>
      }
    >
      <NewPasswordForm token={token} onDone={() => setIsDone(true)} />
    </SignInFrame>
  );
}
