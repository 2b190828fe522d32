/**
 * What each environment variable is for, in the order of the reference. Requirement, default and allowed values come
 * from the schemas of the services.
 *
 * @type {{ title: string, text?: string, variables: Record<string, string> }[]}
 */
export const SECTIONS = [
  {
    title: 'Every service',
    variables: {
      SITE: 'The site: `intl` charges in USD, `cn` in CNY.',
      HOST: 'Address to listen on.',
      PORT: 'Port to listen on; 0 takes any free port.',
      NODE_ENV:
        '`development` and `test` set cookies without `Secure` and without [prefix](../guides/sign-in.md#the-names-of-the-cookies), so that they work without TLS.',
      METRICS_PORT:
        'Port of `GET /metrics`, for Prometheus, and of `GET /livez`. Without it they are not served. Keep it from the outside: it needs no credential.',
      SHUTDOWN_DELAY_SECONDS:
        'Time from SIGTERM to the shutdown. Requests are still answered in it, and `/healthz` is 503, so that a load balancer sends them elsewhere. Set it to more than the balancer needs to notice. Kubernetes has `preStop` for this.',
      BODY_MEMORY_BYTES:
        'Most bytes of request bodies that a process holds at once, 256 MiB by default. One account, or one address of callers without an account, may use a quarter of it, and a sixteenth, or one body of the largest size, for bodies that still arrive; an eighth is kept for bodies of at most 64 KiB. Uploads to workspaces are counted apart, with the same limits.',
      LOG_LEVEL: 'Lowest level that is logged. Logs are JSON lines on standard output.',
      TRUST_PROXY:
        'Proxies in front of the service whose `X-Forwarded-For` is trusted. Set it behind a proxy: otherwise all callers share the proxy’s address in rate limits and audit events.',
      CORS_ORIGINS:
        'Origins whose pages may call the service from a browser. The console also accepts them in `return_url` of a payment. None by default.',
      OTEL_EXPORTER_OTLP_ENDPOINT:
        'Root of an OTLP receiver (HTTP), such as `http://collector:4318`; [traces](../operations/monitoring.md#traces) are sent to `/v1/traces` below it. Without it nothing is traced.',
      OTEL_EXPORTER_OTLP_HEADERS:
        'Secret. Headers of the requests to the receiver, with percent-encoded values: `Authorization=Bearer%20…`.',
      OTEL_TRACES_SAMPLER:
        'Which traces are sent; `parentbased_always_on` by default. The samplers `parentbased_…` decide only for requests without a `traceparent`, and otherwise do as the caller does.',
      OTEL_TRACES_SAMPLER_ARG: 'Part of the traces that the samplers with `traceidratio` take; 1 by default.',
    },
  },
  {
    title: 'Database and credentials',
    text: 'Every service except agent-environments reads these.',
    variables: {
      DATABASE_URL:
        'PostgreSQL, with the role of this service (`console`, `gateway`, `router_cost`, `training`, `agent`, `memo`), or with its [second login](../operations/rotate-secrets.md#database-passwords).',
      DATABASE_POOL_SIZE: 'Most connections of one process.',
      DATABASE_READ_URL:
        'Console and router-cost. [A streaming replica](../operations/read-replica.md) of the database, with the role of the service. Usage, request log and cost report are read there while it has everything that the database has; otherwise the database answers.',
      CONSOLE_URL:
        'Where the console is reached. The services that accept sessions (memo, training, router-cost) fetch its public keys there; the console itself writes it into links and redirect URIs.',
      API_KEY_HASH_SECRET:
        'Secret key of the hash (HMAC-SHA-256) under which API keys and workspace keys are stored. The same value in all services. [How to rotate](../operations/rotate-secrets.md#api-key-hash-secret): changing it at once invalidates every key.',
      API_KEY_HASH_OTHER_SECRET:
        'While one secret replaces the other: keys that are stored under this one are accepted too, and stored under `API_KEY_HASH_SECRET` when they are used. The same value in all services.',
    },
  },
  {
    title: 'Rate limits',
    variables: {
      REDIS_URL:
        'Shares the [rate limits](http.md#rate-limits) among replicas. Services may use the same Redis. Without it, and while Redis cannot be reached, each process counts on its own.',
      RATE_LIMIT_MULTIPLIER: 'Scales every [rate limit](http.md#rate-limits).',
    },
  },
  {
    title: 'Console: addresses and site',
    variables: {
      SITE_NAME: 'Name of the site in `/api/site`, mails, receipts and invoices.',
      CONSOLE_UI_URL:
        'Where people use the console in a browser, `CONSOLE_URL` by default. Links in mails and redirects after a browser sign-in lead there. The gateway, which has no default, names its page to top up when a wallet does not cover a call.',
      CONSOLE_UI_DIRECTORY:
        'Folder of the built pages (`dist/apps/console-ui`) that the console serves at `/`. Without it the console has no pages; [any web server](../operations/deploy.md) can serve them.',
      GATEWAY_URL: 'The gateway. The console shows it in `/api/site`; agent and memo call models there.',
      TRAINING_URL: 'Training service, shown in `/api/site`.',
      ROUTER_URL: 'Router-cost service, shown in `/api/site`.',
      AGENT_URL: 'Agent service, shown in `/api/site`.',
      MEMO_URL: 'Memo service, shown in `/api/site`.',
      ENVIRONMENTS_URL: 'Agent environments, shown in `/api/site`.',
      TERMS_URL:
        'Page of the terms of use, in the footer. Sign-ups have to accept them (`accepted_terms`), and people who have not yet are asked.',
      TERMS_VERSION:
        'Version of `TERMS_URL`, such as the day from which it applies: required with it. It is recorded with the time for each account. After a change people are asked again.',
      PRIVACY_URL: 'Page about personal data, in the footer.',
      IMPRINT_URL: 'Page about the operator, in the footer.',
      STATUS_URL: 'Page of the state of the services, in the footer; goes before the one of `STATUS_PAGE`.',
      STATUS_PAGE:
        '`public`: the console serves a [page](../operations/staff.md#the-status-page) of the state of services, models and incidents to everybody, at `/status` and `/api/status`, and the footer leads there.',
      SUPPORT_CONTACT:
        'Where people get help: an e-mail address or the URL of a page. In the footer, and beside request ids of errors.',
      ICP_NUMBER: 'Number of the ICP filing, in the footer. Site `cn` only.',
      SITEMAP_PAGES: 'JSON array of paths: the public pages of `CONSOLE_UI_URL` that the sitemap lists.',
    },
  },
  {
    title: 'Console: sign-in and sessions',
    variables: {
      STAFF_2FA:
        'Whether [staff](../operations/staff.md) have their role only in a session with a second factor. `required` by default.',
      SECRET_SCANNING_KEYS_URL:
        'Public keys of the secret scanning service that may report leaked API keys to `POST /api/keys/leaked`: `https://api.github.com/meta/public_keys/secret_scanning` for GitHub. Without it no report is taken.',
      SIGNUP: '`closed` answers 403 to registrations and to first sign-ins through a provider.',
      SESSION_SIGNING_KEYS:
        'JSON array of private EC P-256 keys (JWK), each with a `kid`. The first one signs; all are published. [How to rotate](../operations/rotate-secrets.md).',
      SESSION_TTL_SECONDS: 'Life of a session token.',
      REFRESH_TTL_SECONDS:
        'Life of a session that is not used. Every refresh begins it anew. At least `SESSION_TTL_SECONDS`.',
      ENCRYPTION_KEYS:
        'Comma-separated keys that encrypt stored secrets which must be read again, such as those of authenticators. The first one encrypts; all decrypt.',
      SESSION_COOKIE_NAME:
        'Name of the session cookie. In production `__Host-` comes before it, with `COOKIE_DOMAIN` `__Secure-`. The same value in console and router-cost. Browsers do not tell the ports of a host apart: two sites on one host name need different names.',
      REFRESH_COOKIE_NAME:
        'Name of the refresh cookie, for the same reason; in production `__Secure-` comes before it. Different from `SESSION_COOKIE_NAME`.',
      OAUTH_FLOW_COOKIE_NAME:
        'Name of the cookie of a sign-in through a provider, for the same reason; in production `__Host-` comes before it.',
      COOKIE_DOMAIN:
        'Domain of the session cookie, so that the router-cost host receives it too. Without it the cookie goes to the console’s host only. The same value in console and router-cost, because it decides the name of the cookie.',
      OAUTH_PROVIDERS:
        'JSON array of OpenID Connect issuers: `{name, issuer, client_id, client_secret, scope?, token_endpoint_auth_method?, groups_claim?, staff_roles?}`. `staff_roles` is a list of `{group, role}`: the first group that a person is in gives a [role of the staff](../operations/staff.md#groups-of-a-provider); `groups_claim` names the claim, `groups` by default. Register `CONSOLE_URL/api/auth/oauth/{name}/callback` as the redirect URI.',
    },
  },
  {
    title: 'Console: mail',
    text: 'Without `SMTP_URL` and `MAIL_FOLDER` no mail is sent; a warning is logged at the start.',
    variables: {
      SMTP_URL:
        'Mail server: `smtp://user:password@host:587` or `smtps://…`. A password is never sent to a server without STARTTLS.',
      MAIL_FROM:
        'Sender: `no-reply@example.com` or `Example <no-reply@example.com>`. Required with `SMTP_URL`.',
      ANNOUNCEMENT_MAILS_PER_MINUTE:
        'Rate of [announcements by mail](../operations/staff.md#by-mail). Keep it below what the mail server takes from one sender.',
      MAIL_FOLDER: 'Folder that receives mails as `.eml` files instead of a mail server.',
    },
  },
  {
    title: 'Console: wallet and payments',
    text: 'Amounts are in the currency of the site. A payment provider is enabled when all its variables are set.',
    variables: {
      MIN_TOPUP: 'Smallest top-up. Default: 5 USD or 10 CNY.',
      MAX_TOPUP: 'Largest top-up. Default: 10000 USD or 50000 CNY.',
      TOPUP_PRESETS: 'Comma-separated amounts that `/api/billing/settings` offers.',
      LOW_BALANCE_THRESHOLD: 'Balance below which an account gets a mail. Default: 5 USD or 20 CNY.',
      START_CREDIT: 'What an account gets once, when its e-mail address is confirmed.',
      PAYMENT_TTL_SECONDS: 'How long a payment can be paid.',
      STRIPE_SECRET_KEY: 'Site `intl`. Secret key of Stripe (`card_provider`).',
      STRIPE_WEBHOOK_SECRETS:
        'Site `intl`. Signing secrets of the webhook, comma-separated while one replaces another.',
      STRIPE_API_URL: 'URL of the Stripe API, if not Stripe’s own.',
      WECHAT_PAY_APP_ID: 'Site `cn`. App id of WeChat Pay (`messaging_pay_provider`).',
      WECHAT_PAY_MERCHANT_ID: 'Site `cn`. Merchant number.',
      WECHAT_PAY_MERCHANT_SERIAL: 'Site `cn`. Serial number of the merchant’s API certificate.',
      WECHAT_PAY_MERCHANT_KEY:
        'Site `cn`. Private key of that certificate. Line ends may be written as `\\n`.',
      WECHAT_PAY_API_V3_KEY: 'Site `cn`. APIv3 key, which decrypts notifications.',
      WECHAT_PAY_PLATFORM_KEYS:
        'Site `cn`. JSON: id of a public key (`PUB_KEY_ID_…`) or serial number of a certificate → PEM. Newer certificates are fetched.',
      WECHAT_PAY_API_URL: 'URL of the WeChat Pay API, if not WeChat Pay’s own.',
      ALIPAY_APP_ID: 'Site `cn`. App id of Alipay (`wallet_pay_provider`).',
      ALIPAY_SELLER_ID: 'Site `cn`. Seller (2088…) that receives the money.',
      ALIPAY_APP_KEY: 'Site `cn`. Private key of the app, PEM or bare base64. Signs requests (RSA2).',
      ALIPAY_PUBLIC_KEY: 'Site `cn`. Alipay’s public key, PEM or bare base64.',
      ALIPAY_GATEWAY_URL: 'URL of the Alipay gateway, if not Alipay’s own.',
    },
  },
  {
    title: 'Console: receipts and invoices',
    variables: {
      SELLER:
        'JSON `{name?, address?, tax_id?, email?, phone?, bank?, bank_account?}`: the seller on receipts and invoices. The name is `SITE_NAME` by default.',
      TAX_LINES:
        'JSON `[{"name": "VAT", "percent": "6"}]`: taxes that prices include, shown on receipts and invoices. None by default.',
      INVOICE_ISSUER_URL:
        'Site `cn`. Service that makes the tax authority’s invoices ([protocol](invoice-issuer.md)).',
      INVOICE_ISSUER_TOKEN: 'Site `cn`. Bearer token for that service. Required with `INVOICE_ISSUER_URL`.',
    },
  },
  {
    title: 'Usage events',
    text: '[The archive of usage events](../operations/retention.md) lies in the storage of the model packages: `npm run usage` also reads `DATABASE_URL`, as the owner of the database, `STORAGE_FOLDER` and the variables of the bucket.',
    variables: {
      USAGE_EVENTS_RETENTION_MONTHS:
        'How many whole months of usage events stay in the database besides the running one. Without it all of them stay.',
    },
  },
  {
    title: 'Console: export for a warehouse',
    text: 'With a folder or a bucket the consoles [export usage and ledger](../operations/export.md) every hour. All of them need the same values. Without one nothing is exported.',
    variables: {
      EXPORT_STORAGE_FOLDER:
        'Folder of the exported files, which all consoles share. Must not be set together with `EXPORT_S3_BUCKET`.',
      EXPORT_S3_BUCKET: 'Bucket of the exported files, on any server that speaks the S3 protocol.',
      EXPORT_S3_REGION: 'Region of that bucket. Required with `EXPORT_S3_BUCKET`.',
      EXPORT_S3_PREFIX: 'Prefix of all object names of the export, such as `warehouse/`.',
      EXPORT_S3_ENDPOINT: 'URL of that S3 server, if not Amazon’s.',
      EXPORT_S3_FORCE_PATH_STYLE:
        '`true` for servers that name the bucket in the path instead of the host name.',
      EXPORT_S3_ACCESS_KEY_ID:
        'Credentials of that bucket. Without them the usual AWS sources apply, such as the role of the machine.',
      EXPORT_S3_SECRET_ACCESS_KEY: 'Required with `EXPORT_S3_ACCESS_KEY_ID`.',
      EXPORT_FROM:
        'The day (UTC) from which hours are exported, such as `2026-01-31`. Without it the export begins with the newest closed hour. It may be set to an earlier day later: the missing hours follow.',
    },
  },
  {
    title: 'Console: model packages and releases',
    text: 'Packages lie in a folder, or in a bucket when `S3_BUCKET` is set.',
    variables: {
      STORAGE_FOLDER:
        'Folder of the packages and of archived usage events, `storage` in the working directory by default. Must not be set together with `S3_BUCKET`.',
      DOWNLOAD_LINK_SECRETS:
        'Comma-separated secrets that sign links to files of the folder. The first one signs; all verify. Required without `S3_BUCKET`.',
      DOWNLOAD_LINK_TTL_SECONDS: 'How long a download link works.',
      MAX_PACKAGE_BYTES: 'Largest package that is accepted (default 1 TiB).',
      S3_BUCKET: 'Bucket of any server that speaks the S3 protocol.',
      S3_REGION: 'Region of the bucket. Required with `S3_BUCKET`.',
      S3_PREFIX: 'Prefix of all object names in the bucket.',
      S3_ENDPOINT: 'URL of the S3 server, if not Amazon’s.',
      S3_PUBLIC_ENDPOINT: 'URL at which customers reach that server, if it differs from `S3_ENDPOINT`.',
      S3_FORCE_PATH_STYLE: '`true` for servers that name the bucket in the path instead of the host name.',
      S3_ACCESS_KEY_ID:
        'Credentials of the bucket. Without them the usual AWS sources apply, such as the role of the machine.',
      S3_SECRET_ACCESS_KEY: 'Required with `S3_ACCESS_KEY_ID`.',
      RELEASE_REPOSITORIES:
        'JSON `{"engine": "owner/repository"}`: repositories whose releases are followed. Components: `engine`, `router`, `agent`, `memo`.',
      CODE_HOST_URL: 'Host of the release files. Default: GitHub (`intl`), Gitee (`cn`).',
      CODE_HOST_API_URL:
        'API of the code host. Required with `CODE_HOST_URL` when repositories are followed.',
      CODE_HOST_TOKEN: 'Token for that API, which raises its rate limits.',
      RELEASE_POLL_SECONDS: 'Interval between two requests to the code host.',
    },
  },
  {
    title: 'Gateway',
    variables: {
      UPSTREAMS:
        'JSON array in the order of preference, which fills a database without upstreams: `{name, base_url, api_key?, protocols?, models?}`. Later changes are made in the [console](../operations/upstreams.md). `protocols` lists what the server speaks: `chat` (the default), `responses`, `messages`. `models` is a list, or a map from the published slug to the server’s own name; without it the server serves every priced model.',
      MODEL_LIMITS:
        'JSON: model slug, or `*` for all others → `{context_tokens?, max_output_tokens?, output_limit_field?}`, which fills a database without models; later changes are made in the [console](../operations/upstreams.md): the most tokens of a prompt and its answer together, the longest answer that the model gives, and the field of chat requests in which it takes a limit (`max_tokens`, or `max_completion_tokens` for reasoning models of OpenAI). Gateway: what a call can cost at most follows from them; nothing is set in requests unless money is short. An answer of a model without limits may have 131072 tokens. `{input_modalities?, output_modalities?}`, each a list of `text`, `image`, `audio`, `video`, `embedding`, are shown with the models. Console and agent read all of it from the database.',
      UPSTREAMS_APPLY:
        '`once`: `UPSTREAMS` and `MODEL_LIMITS` fill an empty database once. `until_changed`: they also replace what they have filled, until an operator changes any of it.',
      UPSTREAM_ENCRYPTION_KEYS:
        'Comma-separated keys that encrypt the credentials of upstreams. The first one encrypts; all decrypt. The same value in console and gateway.',
      UPSTREAM_PRIVATE_NETWORKS:
        '`allowed`: upstreams may be in private networks. `refused`: the console stores and tests no such base address, and the gateway connects to none, except to those that its `UPSTREAMS` names. The same value in console and gateway.',
      MODEL_RATE_LIMIT_TIERS:
        'JSON list of tiers of [limits](../guides/limits.md), the lowest first: `{name, paid?, age_days?, weight?, models}`. `weight`, 1 by default: how large a share of a full model server its accounts have. `models`: model slug, or `*` for each other one → `{rpm?, tpm?, tpd?, max_concurrency?}`. An account has the last tier for which it has paid enough and is old enough. Without it only keys and staff set limits. The same value in gateway and console.',
      TRAINING_PRICE_SLUG:
        'Model that usage of training names. The gateway never offers it as a model. The same value in gateway and training.',
      AGENT_CREDENTIALS:
        'Comma-separated secrets with which the agent service calls on behalf of accounts. All are accepted.',
      MEMO_CREDENTIALS:
        'Comma-separated secrets with which the memo service calls on behalf of accounts. Must have none in common with `AGENT_CREDENTIALS`.',
      CONSOLE_CREDENTIALS:
        'Gateway, agent and router-cost. Comma-separated secrets with which the console calls on behalf of accounts. All are accepted. At the gateway it must have none in common with `AGENT_CREDENTIALS` and `MEMO_CREDENTIALS`.',
      STREAM_KEEP_ALIVE_SECONDS:
        'Silence after which a stream gets a comment, or the ping of Anthropic’s Messages, so that proxies do not close it. It also begins a stream whose model has sent nothing yet.',
      UPSTREAM_CONNECT_TIMEOUT_SECONDS: 'Time to connect to an upstream before the next one is tried.',
      UPSTREAM_FIRST_BYTE_TIMEOUT_SECONDS:
        'Time to the first byte of an upstream’s answer before the next one is tried, or 504.',
      UPSTREAM_IDLE_TIMEOUT_SECONDS: 'Longest silence in the middle of an upstream’s answer.',
      ANSWER_MEMORY_BYTES:
        'Memory for long answers (more than 1 MiB, no streams) in bytes, of which each takes twice its length. An account may use a quarter of it, or one answer of any length. What has no room waits, and its upstream with it.',
      CLIENT_STALL_TIMEOUT_SECONDS:
        'A client that reads nothing of its stream, or of a plain answer of a model, for this time is disconnected.',
      AUDIO_UPLOAD_LIMIT_MIB:
        'Largest form with audio at `/v1/audio/transcriptions` and `/v1/audio/translations`. It is held in memory while it is passed on, within `BODY_MEMORY_BYTES`.',
      LEASE_AMOUNT: 'Amount that a gateway draws from a wallet at a time, in the currency of the site.',
      LEASE_TTL_SECONDS:
        'Life of a lease. The money of a gateway that was killed is free again after this time.',
      SETTLEMENT_PATIENCE_SECONDS:
        'How long billing is retried while the database cannot be reached. Then the charge is refused, and the response fails with 503, at most five seconds later.',
      RELAY_HOST:
        'Name or address under which other gateways reach this one, to ask for the answers of [repeated calls](../guides/gateway.md#repeat-a-call-safely). Without it `HOST`, or the first address of the machine if `HOST` stands for all.',
      RELAY_PORT:
        'Port at which other gateways ask this one; each worker takes the next one. 0: any free one. Let nobody but gateways reach it.',
      GATEWAY_WORKERS:
        'Processes that serve the port together, for hosts with more than one processor. `DATABASE_POOL_SIZE`, `BODY_MEMORY_BYTES`, `ANSWER_MEMORY_BYTES` and `LEASE_AMOUNT` are of each of them.',
    },
  },
  {
    title: 'Callers of models: agent, memo and console',
    variables: {
      GATEWAY_CREDENTIAL:
        'One of the gateway’s `AGENT_CREDENTIALS` (agent), `MEMO_CREDENTIALS` (memo) or `CONSOLE_CREDENTIALS` (console). Without it the console has no playground.',
      AGENT_CREDENTIAL:
        'Console. One of the agent’s `CONSOLE_CREDENTIALS`. Without it the console offers no agents.',
      ROUTER_COST_CREDENTIAL:
        'Console. One of the `CONSOLE_CREDENTIALS` of the router-cost service. Without it the console has no cost report of all accounts, and the proof of a period does not ask that service.',
      INTERNAL_GATEWAY_URL:
        'Where the console itself reaches the gateway, if that is not the `GATEWAY_URL` of customers.',
      INTERNAL_AGENT_URL:
        'Where the console itself reaches the agent service, if that is not the `AGENT_URL` of customers.',
      INTERNAL_ROUTER_URL:
        'Where the console itself reaches the router-cost service, if that is not the `ROUTER_URL` of customers.',
      MODEL_SILENCE_TIMEOUT_SECONDS: 'A model call fails if the model sends nothing for this time.',
      HEARTBEAT_SECONDS: 'A stream that is silent for this time gets a comment line.',
      SHUTDOWN_GRACE_SECONDS:
        'How long running turns or answers may go on after SIGTERM. The process manager must wait longer before it kills the process.',
      DEFAULT_MODEL: 'Model of sessions that do not name a model.',
      MAX_RUNNING_TURNS:
        'Turns that one process runs at a time. Queued turns wait; further streams are refused with 503.',
      REPLICA_TTL_SECONDS:
        'A process that has not renewed its entry for this time is considered dead, and its turns failed.',
      FRAME_RETENTION_HOURS: 'How long the stream of a finished turn can be resumed.',
      CHAT_MODEL: 'Model that writes answers. Without it answers are sentences of the documents.',
      ANSWER_MAX_TOKENS: 'Longest answer, in tokens. Without it the model decides.',
      EMBEDDING_MODEL: 'Model of vector search. Without it search uses words only.',
      EMBEDDING_LEAST_COSINE:
        'Least cosine with which a passage that has no word in common with the question is found. The right value depends on the model.',
      MAX_DOCUMENT_BYTES: 'Largest file that is accepted (default 100 MiB).',
      MAX_DOCUMENT_CHARACTERS: 'Longest text that a document may contain.',
      MAX_ACCOUNT_WORKSPACES: 'Workspaces that one account may have created and not deleted.',
      MAX_WORKSPACE_DOCUMENTS: 'Documents of one workspace.',
      MAX_WORKSPACE_BYTES:
        'Bytes of one workspace: the newest version of each document as uploaded (default 10 GiB). Text, index and older versions are not counted.',
      INGESTION_WORKERS:
        'Processes that read documents, each one document or one batch of short ones at a time. With several, the first one leaves files over 1 MiB to the others. 0: other hosts read the documents.',
      INGESTION_MEMORY_MEGABYTES:
        'Memory in MiB that reading one document may take; a document that needs more fails.',
      EXTRACTION_TIMEOUT_SECONDS: 'Time that reading one document may take; a slower one fails.',
    },
  },
  {
    title: 'Training',
    variables: {
      TRAINER_CREDENTIALS:
        'Comma-separated secrets with which trainers record usage. All are accepted. Without a secret no usage can be recorded.',
      TRAINING_DEFAULT_QUOTA_TOKENS: 'Quota of accounts for which no admin has set one.',
      TRAINING_MODELS: 'Comma-separated base models that may be trained.',
      TRAINING_METHODS: 'Comma-separated training methods.',
      TRAINING_LORA_METHODS: 'Comma-separated LoRA methods.',
      TRAINING_EXPORT_FORMATS: 'Comma-separated export formats.',
      TRAINING_TARGET_MODULES: 'Comma-separated LoRA target modules.',
      TRAINING_AUTO_INTERVENTION: 'Whether trainings that go wrong are stopped automatically.',
      TRAINING_INTERVENTION_CONDITIONS: 'Comma-separated conditions on which trainings are stopped.',
    },
  },
  {
    title: 'Agent environments',
    variables: {
      API_KEY:
        'Key that every call must bring as `Authorization: Bearer …`; two, comma-separated, while one replaces another. Without it the calls are open.',
    },
  },
];
