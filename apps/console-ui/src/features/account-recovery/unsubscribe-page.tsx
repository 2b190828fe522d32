import { Button, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { toApiError } from '../../api/api-error';
import { bodyOf, useConsoleApi } from '../../api/console-api';
import { ErrorNotice } from '../../components/error-notice';
import { type ChineseTexts, defineTexts } from '../../language/define-texts';
import { SignInFrame } from '../sign-in/sign-in-frame';
import { DoneNotice } from './recovery-parts';
import { useMailToken } from './use-mail-token';

const en = {
  title: 'Announcements by mail',
  text: 'You get announcements about maintenance, incidents and changes by mail.',
  unsubscribe: 'Unsubscribe',
  subscribe: 'Subscribe again',
  'off.title': 'You are unsubscribed',
  'off.text':
    'You no longer get announcements by mail. Mails about your payments and your account are still sent.',
  'on.title': 'You are subscribed',
  'on.text': 'You get announcements by mail again.',
  'missing.title': 'The link is not valid',
  'missing.text': 'Open the link in one of our mails again. Copy it as a whole.',
} as const;

const zh: ChineseTexts<typeof en> = {
  title: '公告邮件',
  text: '您目前会收到关于维护、故障和变更的公告邮件。',
  unsubscribe: '退订',
  subscribe: '重新订阅',
  'off.title': '已退订',
  'off.text': '您不会再收到公告邮件。与付款和账户有关的邮件仍会发送。',
  'on.title': '已订阅',
  'on.text': '您将重新收到公告邮件。',
  'missing.title': '链接无效',
  'missing.text': '请重新打开邮件中的链接，并确保复制完整。',
};

const useUnsubscribeTexts = defineTexts('unsubscribe', en, zh);

const INVALID = [400, 404];

/** The link of each announcement by mail leads here. It acts by a click, because programs that check mails open their links. */
export function UnsubscribePage() {
  const t = useUnsubscribeTexts();
  const api = useConsoleApi();
  const code = useMailToken();
  const change = useMutation({
    mutationFn: (isWanted: boolean) => {
      const query = { params: { query: { code: code ?? '' } } };
      return isWanted
        ? bodyOf(api.POST('/api/mail/subscribe', query))
        : bodyOf(api.POST('/api/mail/unsubscribe', query));
    },
  });
  const isInvalid =
    code === undefined || (change.isError && INVALID.includes(toApiError(change.error).status));
  if (isInvalid)
    return (
      <SignInFrame title={t('missing.title')}>
        <Text size="md">{t('missing.text')}</Text>
      </SignInFrame>
    );
  const isOff = change.data?.announcements === false;
  return (
    <SignInFrame title={t('title')}>
      {change.isError && <ErrorNotice error={change.error} />}
      {change.data ? (
        <DoneNotice title={t(isOff ? 'off.title' : 'on.title')}>
          {t(isOff ? 'off.text' : 'on.text')}
        </DoneNotice>
      ) : (
        <Text size="md">{t('text')}</Text>
      )}
      <Button
        variant={isOff ? 'default' : 'filled'}
        loading={change.isPending}
        onClick={() => change.mutate(isOff)}
      >
        {t(isOff ? 'subscribe' : 'unsubscribe')}
      </Button>
    </SignInFrame>
  );
}
