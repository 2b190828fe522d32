import { ActionIcon, Menu, Text } from '@mantine/core';
import '@mantine/core/styles.layer.css';
import { CircleUser, LogOut } from 'lucide-react';
import { useSession, useSessionState } from '../api/session';
import { type ChineseTexts, defineTexts } from '../language/define-texts';

const en = {
  account: 'Account',
  signedInAs: 'Signed in as',
  signOut: 'Sign out',
} as const;

const zh: ChineseTexts<typeof en> = {
  account: '账户',
  signedInAs: '当前账户',
  signOut: '退出登录',
};

const useAccountMenuTexts = defineTexts('account-menu', en, zh);

/** Who is signed in, and the way out. */
export function AccountMenu() {
  const t = useAccountMenuTexts();
  const session = useSession();
  const state = useSessionState();
  return (
    <Menu position="bottom-end" width={260}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('account')}>
          <CircleUser size={20} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {state.status === 'signed-in' && (
          <>
            <Menu.Label>{t('signedInAs')}</Menu.Label>
            <Text size="md" px="sm" pb="xs" truncate title={state.user.email}>
              {state.user.email}
            </Text>
            <Menu.Divider />
          </>
        )}
        <Menu.Item leftSection={<LogOut size={16} />} onClick={() => void session.signOut()}>
          {t('signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
