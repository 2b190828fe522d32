import { ErrorFilter, type ServiceOptions } from '@inference/http';
import { type ApiDescription, ErrorResponse, serveDocument } from '@inference/openapi';

export const API_DESCRIPTION: ApiDescription = {
  title: 'Console API',
  description:
    'Accounts, API keys, wallet, models and releases of one site. Amounts are JSON numbers in the currency of the site with all digits of the ledger; times are RFC 3339 in UTC; ids are opaque.',
  prefix: 'api',
  errorBody: ErrorResponse,
  defaultKinds: ['session'],
  isRateLimited: true,
  hasStaff: true,
  hasAccountViews: true,
  tags: {
    'API keys': 'Keys for the gateway and for model downloads.',
    'Administration of accounts':
      'For admins: accounts, their roles, lost second factors and all security events.',
    Credentials:
      'Password, second factor, e-mail address and linked identities of an account, and what happened to them.',
    Playground: 'Models in the pages of the console: the gateway, called for the account that is signed in.',
    Agents:
      'Agent sessions in the pages of the console: the agent service, called for the account that is signed in.',
    Health: 'Probe of load balancers.',
    Site: 'What the site is, for everybody.',
    Announcements: 'What staff tells customers for a time.',
    Changelog: 'News about the platform.',
    Models: 'Published models and their packages. A slug may contain slashes.',
    Releases: 'Latest releases of the runtime components.',
    'Administration of models': 'Descriptions and packages of models.',
    'Administration of releases': 'Releases of the runtime components.',
    'Administration of the changelog': 'Entries of the changelog.',
    'Administration of announcements': 'What customers are told for a time, and who sees it.',
    'Administration of downloads': 'Statistics of downloads.',
    'Administration of the site': 'The state of all services.',
    Support: 'For staff: finds customers, shows what happened to them, and shuts accounts and keys out.',
    'Sign-in': 'Registration, sign-in by password or through a provider, sessions and their public keys.',
    Payments: 'Top-ups of the wallet: bounds, providers, payments and what was given back of them.',
    'Receipts and invoices':
      'Documents of paid payments: receipts on the international site, invoices on the China site.',
    'Administration of payments': 'For admins: payments of all accounts, refunds and corrections of wallets.',
    Webhooks: 'Notifications of the payment providers.',
    Prices: 'Published prices of models and GPUs.',
    Wallet: 'Transactions and usage of the account’s wallet.',
    'Administration of prices': 'Price lists, their history, and exchange rates.',
  },
};

export const SERVICE_OPTIONS: ServiceOptions = {
  name: 'console',
  /** Fits a price list of the largest allowed size. */
  bodyLimitBytes: 1_048_576,
  refuseInexactNumbers: true,
  documentApi: serveDocument(API_DESCRIPTION),
  /** Any route may answer that the database is away. The specified body of the console's errors has one field (spec: Errors). */
  errorFilter: new ErrorFilter(false),
};
