import fs from 'node:fs';
import path from 'node:path';
import { generateSecrets } from '../tools/launcher/secrets.mjs';

/** Writes the variables of compose.yaml with new secrets: node docker/make-env.mjs <file> */

const EXAMPLE_UPSTREAMS = [{ name: 'engine', base_url: 'http://host.docker.internal:8000/v1' }];

const file = process.argv[2];
if (!file) {
  console.error('Say where to: node docker/make-env.mjs .data/site.env');
  process.exit(2);
}

const site = 'intl';
const secrets = generateSecrets(site);
// Single quotes keep the dollar signs and double quotes of a value from being interpreted.
const lines = [
  '# intl (prices in USD) or cn (prices in CNY)',
  `SITE=${site}`,
  '# The model servers of a new database, OpenAI-compatible, in the order of preference; later the console changes them',
  `UPSTREAMS='${JSON.stringify(EXAMPLE_UPSTREAMS)}'`,
  '',
  '# Where customers reach the services',
  'PUBLIC_CONSOLE_URL=http://localhost:3000',
  'PUBLIC_TRAINING_URL=http://localhost:3001',
  'PUBLIC_ROUTER_URL=http://localhost:3002',
  'PUBLIC_AGENT_URL=http://localhost:3003',
  'PUBLIC_MEMO_URL=http://localhost:3004',
  'PUBLIC_ENVIRONMENTS_URL=http://localhost:3005',
  'PUBLIC_GATEWAY_URL=http://localhost:3006',
  '',
  '# Where people use the console in a browser, PUBLIC_CONSOLE_URL unless told; links in mails lead there',
  'PUBLIC_CONSOLE_UI_URL=',
  '',
  '# The mail server, smtp://user:password@host:587 or smtps://…, and the sender; without it no mail is sent',
  'SMTP_URL=',
  'MAIL_FROM=',
  '',
  '# OpenID Connect issuers that customers may sign in with: a JSON array of {name, issuer, client_id, client_secret}',
  "OAUTH_PROVIDERS='[]'",
  '',
  '# Payment providers: at intl Stripe, whose webhook is PUBLIC_CONSOLE_URL/api/billing/webhooks/card_provider; at cn',
  '# WeChat Pay (WECHAT_PAY_*) and Alipay (ALIPAY_*), as the README names them. Without them nobody can top up',
  'STRIPE_SECRET_KEY=',
  'STRIPE_WEBHOOK_SECRETS=',
  '',
  '# Who sells, on receipts and invoices: JSON {name, address, tax_id, email, phone, bank, bank_account}',
  "SELLER=''",
  '# The taxes that prices include: JSON [{"name": "VAT", "percent": "6"}]; keys in PEM go on one line, with \\n for its ends',
  "TAX_LINES=''",
  '',
  '# Model packages lie in a volume; or in a bucket: S3_BUCKET, S3_REGION and the others that the README names',
  'S3_BUCKET=',
  '# Whose releases of the runtime components are followed at GitHub (intl) or Gitee (cn): JSON {"engine": "owner/repository"}',
  "RELEASE_REPOSITORIES='{}'",
  '',
  '# Base models that may be trained, comma-separated, and how many tokens an account may train with until an admin says',
  'TRAINING_MODELS=',
  'TRAINING_DEFAULT_QUOTA_TOKENS=0',
  '',
  '# Secrets of this site',
  `POSTGRES_PASSWORD=${secrets.databasePassword}`,
  ...Object.entries(secrets.rolePasswords).map(
    ([role, password]) => `${role.toUpperCase()}_DATABASE_PASSWORD=${password}`,
  ),
  `API_KEY_HASH_SECRET=${secrets.apiKeyHashSecret}`,
  `ENCRYPTION_KEYS=${secrets.encryptionKeys.join(',')}`,
  `UPSTREAM_ENCRYPTION_KEYS=${secrets.upstreamEncryptionKeys.join(',')}`,
  `DOWNLOAD_LINK_SECRETS=${secrets.downloadLinkSecrets.join(',')}`,
  '# The model of agent sessions that name none: one that is published with a price',
  'DEFAULT_MODEL=llama-3.1-8b-instruct',
  '',
  '# What the agent calls the gateway with, and what the gateway takes: two, comma-separated, while one replaces another',
  `AGENT_GATEWAY_CREDENTIAL=${secrets.agentCredential}`,
  `AGENT_CREDENTIALS=${secrets.agentCredential}`,
  '# The same of the memo service, and the model that writes its answers: without one they are extracts',
  `MEMO_GATEWAY_CREDENTIAL=${secrets.memoCredential}`,
  `MEMO_CREDENTIALS=${secrets.memoCredential}`,
  'CHAT_MODEL=llama-3.1-8b-instruct',
  '# The same of the console, at the gateway for the playground, at the agent for its agents, at router-cost for proofs',
  `CONSOLE_GATEWAY_CREDENTIAL=${secrets.consoleGatewayCredential}`,
  `GATEWAY_CONSOLE_CREDENTIALS=${secrets.consoleGatewayCredential}`,
  `CONSOLE_AGENT_CREDENTIAL=${secrets.consoleAgentCredential}`,
  `AGENT_CONSOLE_CREDENTIALS=${secrets.consoleAgentCredential}`,
  `CONSOLE_ROUTER_COST_CREDENTIAL=${secrets.consoleRouterCostCredential}`,
  `ROUTER_COST_CONSOLE_CREDENTIALS=${secrets.consoleRouterCostCredential}`,
  '# What the trainers record usage with',
  `TRAINER_CREDENTIALS=${secrets.trainerCredential}`,
  `SESSION_SIGNING_KEYS='${JSON.stringify(secrets.sessionSigningKeys)}'`,
  '',
];

fs.mkdirSync(path.dirname(path.resolve(file)), { recursive: true });
try {
  fs.writeFileSync(file, lines.join('\n'), { mode: 0o600, flag: 'wx' });
} catch (error) {
  if (error.code !== 'EEXIST') throw error;
  console.error(`${file} exists already; a site keeps its secrets.`);
  process.exitCode = 1;
}
