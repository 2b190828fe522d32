const NOT_IMPLEMENTED = 'is specified to answer 501';
const NEEDS_CODE = 'needs a code of an authenticator';
const NEEDS_EVENT = 'needs an event that a payment provider has signed';
const NEEDS_FACTOR = 'needs an account with a second factor, which only a code of an authenticator enables';
const NEEDS_INVITATION = 'needs an invitation of the address of the account, which is confirmed';
const NEEDS_MEMBER = 'needs a member besides the last admin, who has accepted an invitation';
const ONLY_CHINA = 'succeeds at the China site only';

/** Operations that no request of the fuzzer can bring to a success at the site `intl`, with the reason. */
export const OPERATIONS_WITHOUT_SUCCESS: Record<string, string> = {
  'agent-environments createEnvironment': NOT_IMPLEMENTED,
  'agent-environments getEnvironment': NOT_IMPLEMENTED,
  'agent-environments listEnvironmentFiles': NOT_IMPLEMENTED,
  'agent-environments listEnvironmentTemplates': NOT_IMPLEMENTED,
  'agent-environments listEnvironments': NOT_IMPLEMENTED,
  'agent-environments uploadEnvironmentFile': NOT_IMPLEMENTED,
  'console cancelMailing': 'needs a mailing that is still being sent',
  'console changeRole':
    'needs an account whose address is confirmed, besides those that the fuzzer works with',
  'console closeProviderEvent': NEEDS_EVENT,
  'console completePackageUpload': 'needs all parts of an upload',
  'console createInvoice': ONLY_CHINA,
  'console createInvoiceLink': ONLY_CHINA,
  'console disableTwoFactor': NEEDS_CODE,
  'console disableTwoFactorOfAccount': NEEDS_FACTOR,
  'console downloadInvoice': ONLY_CHINA,
  'console enableTwoFactor': NEEDS_CODE,
  'console getNumberedSitemap': 'needs more models than one sitemap may list',
  'console getProviderEvent': NEEDS_EVENT,
  'console openInvoiceLink': ONLY_CHINA,
  'console openReceiptLink': 'needs the sealed link of another operation',
  'console publishExchangeRates': ONLY_CHINA,
  'console reportLeakedKeys': 'needs a report that a secret scanner has signed',
  'console putPackageUploadPart': 'needs the digest of the body and the length that the upload has fixed',
  'console receiveNotification': 'needs the signature of a payment provider',
  'console readSuspension': 'needs the notice of a sign-in to a suspended account',
  'console refreshSession': 'needs the cookie of a sign-in',
  'console replaceRecoveryCodes': NEEDS_CODE,
  'console repeatExport': 'needs an hour that was exported, at a site that exports',
  'console resetPassword': 'needs the token of a mail',
  'console subscribe': 'needs the code of an announcement by mail',
  'console unsubscribe': 'needs the code of an announcement by mail',
  'console unlinkIdentity': 'needs an account that has signed in with an OpenID provider',
  'console verifyChallenge': NEEDS_FACTOR,
  'gateway cancelResponse': 'is an error for every response that is stored',
  'memo acceptInvitation': NEEDS_INVITATION,
  'memo changeMember': NEEDS_MEMBER,
  'memo declineInvitation': NEEDS_INVITATION,
  'memo getDocumentFile': 'needs a document from a PDF',
  'memo removeMember': NEEDS_MEMBER,
  'memo retryDocument': 'needs a document that could not be read',
};

/** Of these, the ones that requests may have made possible, such as a document that cannot be read, or jobs have not made impossible yet. */
export const SUCCEEDING_BY_CHANCE = new Set([
  'console cancelMailing',
  'console getProviderEvent',
  'memo retryDocument',
]);
