import {
  type FormattedAmount,
  type MailTemplates,
  paragraphsOf,
  type SecurityMailData,
} from './mail-template';

const hours = (count: number) => (count === 1 ? 'one hour' : `${count} hours`);
const time = ({ at }: SecurityMailData) => `When: ${at} UTC`;
const when = (data: SecurityMailData) => `${time(data)}\nFrom: ${data.address ?? 'an unknown address'}`;
const money = ({ figure, currency, isRounded }: FormattedAmount) =>
  `${isRounded ? 'about ' : ''}${figure} ${currency}`;
const revokedIn = ({ revoked }: SecurityMailData) =>
  [
    ['API keys', revoked?.apiKeys],
    ['Workspace keys', revoked?.workspaceKeys],
    ['Linked accounts of other providers', revoked?.identities],
    ['Second factor', revoked?.secondFactors],
    ['Password', revoked?.passwords],
  ]
    .flatMap(([name, count]) => (count ? [`${name}: ${count}`] : []))
    .join('\n');
const NOTHING_TO_DO = 'If this was you, there is nothing to do.';

export const TEMPLATES_EN: MailTemplates = {
  verify_email: {
    subject: ({ siteName }) => `Confirm your e-mail address for ${siteName}`,
    paragraphs: ({ siteName, link, token, validHours }) => [
      `This e-mail address is used for an account at ${siteName}, most likely yours. To confirm it, open this link:`,
      { link },
      'If the link does not open, enter this code instead:',
      { token },
      `The link and the code work once, within ${hours(validHours)}.`,
      'If you did not create this account, do not confirm it. To take it over, use “Forgot password” on the sign-in page: setting a new password removes everything that somebody else created with your address.',
    ],
  },
  reset_password: {
    subject: ({ siteName }) => `Set a new password for ${siteName}`,
    paragraphs: ({ siteName, link, token, validHours, isFirstVerification, revokesEarlierAccess }) => [
      `We received a request, most likely from you, to set a new password for your account at ${siteName}. To choose one, open this link:`,
      { link },
      'If the link does not open, enter this code instead:',
      { token },
      `The link and the code work once, within ${hours(validHours)}.`,
      ...(isFirstVerification || revokesEarlierAccess
        ? [
            'This also removes API keys, workspace keys, linked accounts of other providers and a second factor that were added before this address was confirmed, because somebody else may have added them.',
          ]
        : []),
      'If you did not ask for this, ignore this mail. Your password stays the same.',
    ],
  },
  password_changed: {
    subject: ({ siteName }) => `Your password for ${siteName} was changed`,
    paragraphs: (data) => [
      `The password of your account at ${data.siteName} was changed.`,
      when(data),
      NOTHING_TO_DO,
      'If it was not you, somebody else may be using your account. Use “Forgot password” on the following page and set a new one, which signs out all devices:',
      { link: data.link },
    ],
  },
  two_factor_enabled: {
    subject: ({ siteName }) => `Two-factor sign-in for ${siteName} was turned on`,
    paragraphs: (data) => [
      `Two-factor sign-in was turned on for your account at ${data.siteName}. From now on, signing in also takes a code from your authenticator app or a recovery code.`,
      when(data),
      `${NOTHING_TO_DO} Keep your recovery codes in a safe place.`,
      'If it was not you, somebody else may be using your account and could lock you out of it. Set a new password on the following page at once, and contact us if you can no longer sign in:',
      { link: data.link },
    ],
  },
  two_factor_disabled: {
    subject: ({ siteName }) => `Two-factor sign-in for ${siteName} was turned off`,
    paragraphs: (data) => [
      `Two-factor sign-in was turned off for your account at ${data.siteName}. From now on, the password alone is enough to sign in.`,
      when(data),
      NOTHING_TO_DO,
      'If it was not you, somebody else knows your password. Set a new one on the following page at once, then turn two-factor sign-in on again:',
      { link: data.link },
    ],
  },
  recovery_codes_replaced: {
    subject: ({ siteName }) => `Your recovery codes for ${siteName} were replaced`,
    paragraphs: (data) => [
      `The recovery codes of your account at ${data.siteName} were replaced. The old ones no longer work.`,
      when(data),
      `${NOTHING_TO_DO} Keep the new codes in a safe place.`,
      'If it was not you, somebody else may be using your account. Set a new password on the following page at once, then create new recovery codes:',
      { link: data.link },
    ],
  },
  identity_linked: {
    subject: ({ siteName }) => `Another way to sign in to ${siteName} was added`,
    paragraphs: (data) => [
      `An account with another provider was linked to your account at ${data.siteName}. It can now be used to sign in.`,
      when(data),
      NOTHING_TO_DO,
      'If it was not you, somebody else may be using your account. Set a new password on the following page at once, then remove the linked account:',
      { link: data.link },
    ],
  },
  identity_unlinked: {
    subject: ({ siteName }) => `A way to sign in to ${siteName} was removed`,
    paragraphs: (data) => [
      `An account with another provider was unlinked from your account at ${data.siteName}. It can no longer be used to sign in.`,
      when(data),
      NOTHING_TO_DO,
      'If it was not you, somebody else may be using your account. Set a new password on the following page at once:',
      { link: data.link },
    ],
  },
  access_revoked: {
    subject: ({ siteName }) => `Access to your ${siteName} account from before its confirmation was removed`,
    paragraphs: (data) => [
      `You have confirmed the e-mail address of your account at ${data.siteName}. Because somebody else may have used the account before, the following items from before the confirmation were removed:`,
      revokedIn(data),
      when(data),
      'If one of your programs used such a key, create a new one for it:',
      { link: data.link },
    ],
  },
  api_key_rotated: {
    subject: ({ siteName, rotated }) => `Your ${siteName} API key ${rotated?.name ?? ''} has a new secret`,
    paragraphs: (data) => [
      `The API key ${data.rotated?.name ?? ''} (${data.rotated?.prefix ?? 'bfvk-'}…) of your account at ${data.siteName} was given a new secret.`,
      data.rotated?.formerEndsAt
        ? `The former secret works until ${data.rotated.formerEndsAt} UTC.`
        : 'The former secret no longer works.',
      when(data),
      NOTHING_TO_DO,
      'If it was not you, somebody else may be using your account. Delete the key, and set a new password:',
      { link: data.link },
    ],
  },
  api_key_leaked: {
    subject: ({ siteName, leaked }) => `Your ${siteName} API key ${leaked?.name ?? ''} was found in public`,
    paragraphs: (data) => [
      `The API key ${data.leaked?.name ?? ''} (${data.leaked?.prefix ?? 'bfvk-'}…) of your account at ${data.siteName} was found in a public place${data.leaked?.url ? `: ${data.leaked.url}` : '.'}`,
      data.leaked?.isFormerSecret
        ? 'It was a former secret of the key, which no longer works. The present one goes on working.'
        : 'Anybody could use it, so it is disabled. Programs that use it are refused.',
      time(data),
      data.leaked?.isFormerSecret
        ? 'Look through your usage for calls that are not yours:'
        : 'Give your programs another key, delete this one, and look through your usage for calls that are not yours:',
      { link: data.link },
    ],
  },
  workspace_key_leaked: {
    subject: ({ siteName, leaked }) =>
      `Your ${siteName} workspace key ${leaked?.name ?? ''} was found in public`,
    paragraphs: (data) => [
      `The workspace key ${data.leaked?.name ?? ''} (${data.leaked?.prefix ?? 'sk_'}…) that you made at ${data.siteName} was found in a public place${data.leaked?.url ? `: ${data.leaked.url}` : '.'}`,
      'Anybody could read the workspace with it, so we have deleted it. Programs that use it are refused from now on.',
      time(data),
      'Give your programs another key of the workspace:',
      { link: data.link },
    ],
  },
  admin_appointed: {
    subject: ({ siteName, admin }) => `${admin?.email ?? 'Somebody'} is a new administrator of ${siteName}`,
    paragraphs: (data) => [
      `${data.admin?.email ?? 'An account'} became an administrator of ${data.siteName}. Administrators change prices, balances, releases and other accounts.`,
      `By: ${data.admin?.appointedBy ?? 'a command of the operator'}\n${when(data)}`,
      'If you expected this, there is nothing to do.',
      'If not, remove the role, and check the audit events to find out how it was assigned:',
      { link: data.link },
    ],
  },
  payment_received: {
    subject: ({ siteName, amount }) => `Your payment of ${money(amount)} to ${siteName} was received`,
    paragraphs: ({ siteName, amount, paymentId, at, link }) => [
      `Thank you for your payment to ${siteName}. ${money(amount)} was added to your balance.`,
      `Payment: ${paymentId}\nPaid: ${at} UTC`,
      'See your balance and payments here:',
      { link },
    ],
  },
  payment_refunded: {
    subject: ({ siteName, amount }) => `${siteName} refunded ${money(amount)}`,
    paragraphs: ({ siteName, amount, paymentId, at, link }) => [
      `We refunded a payment you made to ${siteName}: ${money(amount)} was deducted from your balance and is returned to your original payment method. It may take a few days to appear.`,
      `Payment: ${paymentId}\nRefunded: ${at} UTC`,
      'See your balance and payments here:',
      { link },
    ],
  },
  low_balance: {
    subject: ({ siteName, threshold }) => `Your balance at ${siteName} is below ${money(threshold)}`,
    paragraphs: ({ siteName, threshold, balance, at, link }) => [
      `The balance of your account at ${siteName} has fallen below ${money(threshold)}.`,
      `Balance: ${money(balance)}\nWhen: ${at} UTC`,
      'Once it is used up, requests are refused. Top up here:',
      { link },
      `You get this mail once each time your balance falls below ${money(threshold)}.`,
    ],
  },
  invoice_issued: {
    subject: ({ siteName, number }) => `Invoice ${number} from ${siteName}`,
    paragraphs: ({ siteName, number, link }) => [
      `The invoice ${number} for a payment to ${siteName} is attached.`,
      'You can also download it in the account that paid:',
      { link },
    ],
  },
  api_key_expiring: {
    subject: ({ siteName, name }) => `Your ${siteName} API key ${name} is about to expire`,
    paragraphs: ({ siteName, name, prefix, at, link }) => [
      `The API key ${name} (${prefix}…) of your account at ${siteName} expires at ${at} UTC. From then on, programs that use it are refused.`,
      'To keep it in use, move the date here, or create another key for your programs:',
      { link },
    ],
  },
  announcement: {
    subject: ({ siteName, title }) => `${siteName}: ${title}`,
    paragraphs: ({ siteName, body, link }) => [
      ...paragraphsOf(body),
      `You get this mail because you have an account at ${siteName}. To stop announcements by mail:`,
      { link },
    ],
  },
  workspace_invitation: {
    subject: ({ invitedBy, siteName }) => `${invitedBy} invites you to a workspace at ${siteName}`,
    paragraphs: ({ invitedBy, siteName, link }) => [
      `${invitedBy} invites you to a workspace at ${siteName}, where you can ask questions about shared documents. To see the invitation, sign in with this e-mail address:`,
      { link },
      'If you have no account yet, create one with this address and confirm it. The invitation expires after seven days.',
      'If you do not know the sender, ignore this mail. Nobody learns whether you have an account.',
    ],
  },
};
