import { type FormattedAmount, type MailTemplates, type SecurityMailData } from './mail-template';

const hours = (count: number) => (count === 1 ? 'one hour' : `${count} hours`);
const when = ({ at, address }: SecurityMailData) =>
  `When: ${at} UTC\nFrom: ${address ?? 'an unknown address'}`;
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
      `Somebody, most likely you, uses this e-mail address for an account at ${siteName}. To confirm that it is yours, open this link:`,
      { link },
      'If the link does not open, enter this code instead:',
      { token },
      `The link and the code work once, within ${hours(validHours)}.`,
      'If you did not make this account, do not confirm it. To take it over, say there that you have forgotten your password: setting a new one removes everything that somebody else made with your address.',
    ],
  },
  reset_password: {
    subject: ({ siteName }) => `Set a new password for ${siteName}`,
    paragraphs: ({ siteName, link, token, validHours, isFirstVerification, revokesEarlierAccess }) => [
      `Somebody, most likely you, asked to set a new password for your account at ${siteName}. To choose one, open this link:`,
      { link },
      'If the link does not open, enter this code instead:',
      { token },
      `The link and the code work once, within ${hours(validHours)}.`,
      ...(isFirstVerification || revokesEarlierAccess
        ? [
            'API keys, workspace keys, linked accounts of other providers and a second factor that were made before this address was confirmed are removed with it, because somebody else may have made them.',
          ]
        : []),
      'If you did not ask for it, ignore this mail: your password stays as it is.',
    ],
  },
  password_changed: {
    subject: ({ siteName }) => `Your password for ${siteName} was changed`,
    paragraphs: (data) => [
      `The password of your account at ${data.siteName} was changed.`,
      when(data),
      NOTHING_TO_DO,
      'If it was not you, somebody else may be using your account. Say there that you have forgotten your password, and set a new one, which signs everybody out:',
      { link: data.link },
    ],
  },
  two_factor_enabled: {
    subject: ({ siteName }) => `Two-factor sign-in for ${siteName} was turned on`,
    paragraphs: (data) => [
      `Two-factor sign-in was turned on for your account at ${data.siteName}. From now on, signing in also takes a code from the authenticator app or a recovery code.`,
      when(data),
      `${NOTHING_TO_DO} Keep your recovery codes in a safe place.`,
      'If it was not you, somebody else may be using your account and could lock you out of it. Set a new password there at once, and ask for help if you can no longer sign in:',
      { link: data.link },
    ],
  },
  two_factor_disabled: {
    subject: ({ siteName }) => `Two-factor sign-in for ${siteName} was turned off`,
    paragraphs: (data) => [
      `Two-factor sign-in was turned off for your account at ${data.siteName}. From now on, the password alone is enough to sign in.`,
      when(data),
      NOTHING_TO_DO,
      'If it was not you, somebody else knows your password. Set a new one there at once, and then turn two-factor sign-in on again:',
      { link: data.link },
    ],
  },
  recovery_codes_replaced: {
    subject: ({ siteName }) => `Your recovery codes for ${siteName} were replaced`,
    paragraphs: (data) => [
      `The recovery codes of your account at ${data.siteName} were replaced. The old ones no longer work.`,
      when(data),
      `${NOTHING_TO_DO} Keep the new codes in a safe place.`,
      'If it was not you, somebody else may be using your account. Set a new password there at once, and then make new recovery codes:',
      { link: data.link },
    ],
  },
  identity_linked: {
    subject: ({ siteName }) => `Another way to sign in to ${siteName} was added`,
    paragraphs: (data) => [
      `An account at another provider was linked to your account at ${data.siteName}. Whoever signs in there can sign in here with it.`,
      when(data),
      NOTHING_TO_DO,
      'If it was not you, somebody else may be using your account. Set a new password there at once, and then remove what was linked:',
      { link: data.link },
    ],
  },
  identity_unlinked: {
    subject: ({ siteName }) => `A way to sign in to ${siteName} was removed`,
    paragraphs: (data) => [
      `An account at another provider was unlinked from your account at ${data.siteName}. It no longer signs in here.`,
      when(data),
      NOTHING_TO_DO,
      'If it was not you, somebody else may be using your account. Set a new password there at once:',
      { link: data.link },
    ],
  },
  access_revoked: {
    subject: ({ siteName }) => `What was made at ${siteName} before your address was confirmed is removed`,
    paragraphs: (data) => [
      `You have shown that the e-mail address of your account at ${data.siteName} is yours. Somebody else may have used the account before. So what was made before the address was confirmed has been removed:`,
      revokedIn(data),
      when(data),
      'If one of your programs used such a key, make a new one and give it to the program:',
      { link: data.link },
    ],
  },
  admin_appointed: {
    subject: ({ siteName, admin }) => `${admin?.email ?? 'Somebody'} is a new administrator of ${siteName}`,
    paragraphs: (data) => [
      `${data.admin?.email ?? 'An account'} became an administrator of ${data.siteName}. Administrators change prices, balances, releases and other accounts.`,
      `By: ${data.admin?.appointedBy ?? 'a command of the operator'}\n${when(data)}`,
      'If you know of it, there is nothing to do.',
      'If not, take the role away, and find out in the audit events how it was given:',
      { link: data.link },
    ],
  },
  payment_received: {
    subject: ({ siteName, amount }) => `Your payment of ${money(amount)} to ${siteName} was received`,
    paragraphs: ({ siteName, amount, paymentId, at, link }) => [
      `Thank you: your payment to ${siteName} was received, and ${money(amount)} were added to your balance.`,
      `Payment: ${paymentId}\nPaid: ${at} UTC`,
      'Your balance and your payments are here:',
      { link },
    ],
  },
  payment_refunded: {
    subject: ({ siteName, amount }) => `${siteName} refunded ${money(amount)}`,
    paragraphs: ({ siteName, amount, paymentId, at, link }) => [
      `A payment that you made to ${siteName} was refunded: ${money(amount)} were taken off your balance and go back the way they were paid. It may take some days until your bank or your payment app shows them.`,
      `Payment: ${paymentId}\nRefunded: ${at} UTC`,
      'Your balance and your payments are here:',
      { link },
    ],
  },
  low_balance: {
    subject: ({ siteName, threshold }) => `Your balance at ${siteName} is below ${money(threshold)}`,
    paragraphs: ({ siteName, threshold, balance, at, link }) => [
      `The balance of your account at ${siteName} has fallen below ${money(threshold)}.`,
      `Balance: ${money(balance)}\nWhen: ${at} UTC`,
      'Once it is used up, requests are refused. You can top it up here:',
      { link },
      `You are told once each time the balance falls below ${money(threshold)}.`,
    ],
  },
  invoice_issued: {
    subject: ({ siteName, number }) => `Invoice ${number} from ${siteName}`,
    paragraphs: ({ siteName, number, link }) => [
      `The invoice ${number} for a payment to ${siteName} is attached.`,
      'Whoever holds the account can also download it here:',
      { link },
    ],
  },
  workspace_invitation: {
    subject: ({ invitedBy, siteName }) => `${invitedBy} invites you to a workspace at ${siteName}`,
    paragraphs: ({ invitedBy, siteName, link }) => [
      `${invitedBy} invites you to become a member of a workspace at ${siteName}: documents that answer questions. The invitation is here, after you have signed in with this e-mail address:`,
      { link },
      'If you have no account yet, make one with this address, and confirm the address. The invitation ends after seven days.',
      'If you do not know who invites you, ignore this mail. Nobody learns whether you have an account.',
    ],
  },
};
