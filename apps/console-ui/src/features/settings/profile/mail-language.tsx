import { Select } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useConsoleApi } from '../../../api/console-api';
import { bodyOf } from '../../../api/console-api';
import { ErrorNotice } from '../../../components/errors/error-notice';
import { type Language, LANGUAGE_NAMES, LANGUAGES } from '../../../language/language';
import { useAccountChange } from '../settings-queries';
import { useSettingsTexts } from '../texts/settings-texts';

/** The language of mails and receipts, which need not be that of the pages. */
export function MailLanguage({ language }: { language: Language }) {
  const t = useSettingsTexts();
  const api = useConsoleApi();
  const change = useAccountChange((chosen: Language) =>
    bodyOf(api.PATCH('/api/auth/me', { body: { language: chosen } })),
  );
  return (
    <>
      {change.error && <ErrorNotice error={change.error} />}
      <Select
        label={t('account.mailLanguage')}
        description={t('account.mailLanguageHint')}
        data={LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))}
        value={change.isPending ? change.variables : language}
        allowDeselect={false}
        disabled={change.isPending}
        maw="24rem"
        onChange={(value) =>
          change.mutate(value as Language, {
            onSuccess: () => notifications.show({ message: t('saved') }),
          })
        }
      />
    </>
  );
}
