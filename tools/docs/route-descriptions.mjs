/**
 * What each route does, by service. The routes themselves and the credentials that they accept come from the table
 * that the tests of every service check. `{…}` is a JSON body; → introduces the answer.
 *
 * @type {Record<string, Record<string, string>>}
 */
export const ROUTE_DESCRIPTIONS = {
  console: {
    'GET /.well-known/jwks.json': 'Public keys of the session tokens.',
    'GET /api/site': 'Name, region, currency, time zone, languages and service addresses of the site.',
    'GET /api/pricing': 'Published prices of models and GPUs. `?limit=` (1 to 100) caps each list.',
    'GET /api/payments/providers': '`{providers: [{name, enabled, currency, region}]}`.',
    'GET /api/models': 'Published models with size and SHA-256 of their packages.',
    'GET /api/models/*slug': 'One published model.',
    'GET /api/models/*slug/download': '302 to an expiring link. `?version=` selects a package.',
    'GET /api/files/:key':
      'File of a download link (folder storage). The signature is part of the link. Supports `Range`.',
    'GET /api/download/engine-latest': 'Newest release of the engine.',
    'GET /api/download/router-latest': 'Newest release of the router.',
    'GET /api/download/agent-latest': 'Newest release of the agent.',
    'GET /api/download/memo-latest': 'Newest release of memo.',
    'GET /api/changelog': 'Changelog entries, newest first, in pages.',
    'GET /api/changelog.atom': 'The changelog as an Atom feed.',
    'GET /sitemap.xml': 'Sitemap of public pages and models; an index of parts above 50,000 addresses.',
    'GET /sitemap-:number.xml': 'One part of a large sitemap.',
    'POST /api/auth/register':
      '`{email, password, phone?, username?, language?}` → 201 `{token, user}`. 409 when taken, 403 with `SIGNUP=closed`.',
    'POST /api/auth/login':
      '`{identifier, password}` → `{token, user}`, or `{challenge: {id, methods, expires_at}}` with a second factor.',
    'GET /api/auth/me': 'The signed-in account.',
    'POST /api/auth/logout': '204; ends the session.',
    'POST /api/auth/password/forgot':
      '`{identifier}` → always 202; sends a mail if there is such an account.',
    'POST /api/auth/password/reset':
      '`{token, password}` → 202; 400 for a token that is unknown, used or older than an hour. Ends all sessions.',
    'PUT /api/auth/password':
      '`{current_password, new_password}` → 204; 403 for a wrong password. Ends the other sessions.',
    'POST /api/auth/email/verify':
      '`{token}` → 202, 400 for a token that is unknown, used or older than a day; or `{email}` for a new mail.',
    'POST /api/auth/2fa/setup': 'Secret, `otpauth_url` and QR code of a new authenticator.',
    'POST /api/auth/2fa/enable': '`{code}` → `{recovery_codes}`.',
    'POST /api/auth/2fa/disable': '`{password, code}` → 204.',
    'POST /api/auth/2fa/recovery-codes': '`{password, code}` → ten new recovery codes.',
    'POST /api/auth/2fa/verify':
      '`{challenge_id, code}` → `{token, user}`. Code or recovery code, each once; five tries for a challenge.',
    'GET /api/auth/oauth/:provider':
      'Starts a sign-in at an OpenID Connect provider: 302. `?return_to=/path`.',
    'GET /api/auth/oauth/:provider/callback':
      'Ends the sign-in: JSON for `Accept: application/json`, otherwise cookie and redirect.',
    'POST /api/auth/oauth/:provider/link':
      '`{password, return_to?}` → `{authorization_url}`: links the identity that signs in there.',
    'GET /api/auth/identities': 'Linked identities.',
    'DELETE /api/auth/identities/:id': '204; removes one and ends the other sessions.',
    'GET /api/auth/events': 'Security events of the account.',
    'POST /api/api-keys':
      '`{name, spend_limit?, allowed_models?}` → 201 with `key`, shown only here. 409 above 100 keys.',
    'GET /api/api-keys': 'Keys of the account, without the secret.',
    'DELETE /api/api-keys/:id': '204; the key stops working within a second.',
    'GET /api/billing/usage': 'Usage rows, oldest first. `?from=&to=&granularity=day|hour&time_zone=`.',
    'GET /api/billing/transactions': 'Wallet transactions, newest first. `?limit=&cursor=`.',
    'GET /api/billing/settings': 'Balance, currency, top-up bounds and presets, providers.',
    'POST /api/billing/payments':
      '`{provider, amount, currency?, return_url?}` → 201 with `checkout {type, url, expires_at}`. `amount` is a JSON number with at most two decimals, `currency` that of the site, `return_url` on the origin of the console, its pages or `CORS_ORIGINS`. 409 for a provider that is not enabled, 503 while it cannot be reached.',
    'GET /api/billing/payments': 'Payments with their refunds, newest first, in pages.',
    'GET /api/billing/payments/:id':
      'One payment: `pending`, `paid`, `failed` or `expired`; with `refunded_amount` and `refunds`.',
    'POST /api/billing/webhooks/:provider': 'Notifications of a payment provider, verified by its signature.',
    'GET /api/billing/receipts/:paymentId/download':
      'Site `intl`: HTML receipt of a paid card payment, with its refunds.',
    'POST /api/billing/invoices':
      'Site `cn`: `{payment_id, title, type, tax_id?, email?}` → 201. `tax_id` for `company`. 409 for a second invoice.',
    'GET /api/billing/invoices': 'Site `cn`: invoices of the account.',
    'GET /api/billing/invoices/:paymentId/download':
      'Site `cn`: PDF, or the file of the tax authority once the issuer has made it.',
    'GET /api/admin/accounts': 'Accounts, in pages.',
    'PUT /api/admin/accounts/:id/role': '`{role}`: `user`, `analyst` (sees everyone’s cost) or `admin`.',
    'POST /api/admin/accounts/:id/2fa/disable':
      '`{password}`: for an owner who lost authenticator and recovery codes.',
    'GET /api/admin/events': 'Security events of all accounts.',
    'GET /api/admin/billing/pricing/models': 'The current list.',
    'PUT /api/admin/billing/pricing/models':
      '`{models: [{slug, unit, price}]}` replaces the list. The answer says what was `added`, `changed` and `removed`; `?dry_run=true` only says it.',
    'PATCH /api/admin/billing/pricing/models':
      '`{models: [{slug, unit, price}]}` adds or changes these prices only; `price: null` removes one. `?dry_run=true` as for PUT.',
    'GET /api/admin/billing/pricing/gpus': 'The current list.',
    'PUT /api/admin/billing/pricing/gpus':
      '`{gpus: [{name, hourly_price}]}` replaces the list. Answer and `?dry_run=true` as for models.',
    'PATCH /api/admin/billing/pricing/gpus':
      '`{gpus: [{name, hourly_price}]}` adds or changes these prices only; `hourly_price: null` removes one.',
    'GET /api/admin/billing/pricing/training': 'The current price of training; null before the first one.',
    'PUT /api/admin/billing/pricing/training':
      '`{token_per_m, gpu_hour}` replaces the price of training: of a million tokens and of a GPU hour. `?dry_run=true` stores nothing.',
    'GET /api/admin/billing/pricing/training/history': 'All prices of training, newest first.',
    'GET /api/admin/billing/pricing/models/history':
      'Former model price lists, at most 10,000 prices on a page. `?slug=` shows one price over time.',
    'GET /api/admin/billing/pricing/gpus/history':
      'Former GPU price lists. `?name=` shows one price over time.',
    'PUT /api/admin/billing/exchange-rates': '`{rates: [{date, usd_per_unit}]}` adds or changes days.',
    'POST /api/admin/billing/adjustments':
      '`{account_id, amount, description}`: a signed correction of a wallet.',
    'GET /api/admin/billing/payments/:id':
      'One payment with its refunds and the number of its receipt or invoice.',
    'POST /api/admin/billing/payments/:id/refund':
      '`{amount?, reason?}`: once for a payment, whole or in part.',
    'GET /api/admin/models': 'All models.',
    'GET /api/admin/models/*slug': 'One model with its packages.',
    'PUT /api/admin/models/*slug':
      '`{name, description?, family?, parameters?, quantization?, format?, license?, version?}`. `version` publishes that package; `null` publishes none; absent leaves it as it is.',
    'DELETE /api/admin/models/*slug': '204; only a model without packages.',
    'PUT /api/admin/models/*slug/packages/:version':
      'Uploads a package: the bytes, with `Content-Length` and `?file_name=`. With `Content-Digest: sha-256=:…:` the same upload again is 200. 409 for other content under the same version.',
    'DELETE /api/admin/models/*slug/packages/:version': '204; only a package that is not published.',
    'GET /api/admin/releases': 'All releases.',
    'GET /api/admin/releases/followed': 'State of the followed repositories.',
    'PUT /api/admin/releases/:component/:tag':
      '`{name, assets: [{name, url, size, content_type?}], draft?, prerelease?, published_at?}` publishes a release.',
    'DELETE /api/admin/releases/:component/:tag':
      'Removes an admin’s release; a followed one with this tag counts again.',
    'POST /api/admin/changelog': '`{title, body, component?, tag_name?, published_at?}` → 201.',
    'PUT /api/admin/changelog/:id': 'Changes an entry.',
    'DELETE /api/admin/changelog/:id': 'Removes an entry.',
    'GET /api/admin/downloads':
      'Downloads by model and version, lookups by component and release. `?from=&to=&slug=`.',
  },
  gateway: {
    'GET /v1/models': 'Models that have a price and an upstream.',
    'GET /v1/models/*slug': 'One model.',
    'POST /v1/chat/completions': 'OpenAI chat completion, streaming or not.',
    'POST /v1/completions': 'OpenAI text completion, streaming or not.',
    'POST /v1/embeddings': 'OpenAI embeddings.',
  },
  'router-cost': {
    'GET /v1/router/cost':
      'Cost in USD and tokens. `?from=&to=&time_zone=&group_by=user,model,entrypoint&limit=&cursor=`; CSV for `Accept: text/csv`.',
  },
  training: {
    'GET /v1/capabilities':
      'What can be trained, prices, and quota and balance of the caller. 503 until the price of training is published.',
    'GET /v1/admin/quotas/:accountId': 'Quota of an account, and who set it when.',
    'PUT /v1/admin/quotas/:accountId': '`{total}` sets it, in tokens.',
    'POST /v1/internal/usage':
      '`{id, account_id, model, tokens}` records and charges training usage, once for an `id`.',
  },
  agent: {
    'POST /v1/agents/sessions':
      '`{id?, model?, system?, tools?, metadata?}` → 201; 409 if a session of the account has the id. Tools in the OpenAI shape.',
    'GET /v1/agents/sessions': 'Sessions, newest first, in pages.',
    'GET /v1/agents/sessions/:session_id': 'One session with its open turns.',
    'DELETE /v1/agents/sessions/:session_id': 'Removes the session and all its events.',
    'POST /v1/agents/sessions/:session_id/cancel': 'Ends the running and queued turns; events stay.',
    'POST /v1/agents/sessions/:session_id/events':
      '`{role: "user", content}` or `{role: "tool", tool_call_results: [{tool_call_id, content, is_error?}]}` → the stored event; the turn runs in the background. A refusal of the gateway that comes within two seconds, such as 402, is answered with its status. `?on_busy=enqueue|interrupt`.',
    'POST /v1/agents/sessions/:session_id/events/stream':
      'Stores an event like the route above, and streams its turn.',
    'GET /v1/agents/sessions/:session_id/events/stream':
      'Continues a stream after `Last-Event-ID` (or `?after=`). 204 if nothing follows, 410 if the events of the stream are not stored any more.',
    'GET /v1/agents/sessions/:session_id/events': 'Stored events by `seq`. `?after=&limit=`.',
    'GET /v1/agents/sessions/:session_id/events/:event_id': 'One stored event.',
  },
  memo: {
    'POST /v1/workspaces': '`{name}` → 201; the caller becomes its admin.',
    'GET /v1/workspaces': 'Workspaces of the caller.',
    'GET /v1/workspaces/:workspace_id': 'One workspace with `document_count` and `bytes`. Role: viewer.',
    'PATCH /v1/workspaces/:workspace_id': '`{name}`. Role: admin.',
    'DELETE /v1/workspaces/:workspace_id': 'Removes the workspace with everything in it. Role: admin.',
    'GET /v1/workspaces/:workspace_id/members': 'Members, oldest first. Role: viewer.',
    'POST /v1/workspaces/:workspace_id/members':
      '`{user_id, role}`, or `{email, role}` for an account whose address is confirmed. Role: admin.',
    'PATCH /v1/workspaces/:workspace_id/members/:user_id': '`{role}`. 409 for the last admin. Role: admin.',
    'DELETE /v1/workspaces/:workspace_id/members/:user_id':
      'Removes a member; everybody may leave. 409 for the last admin. Role: admin.',
    'POST /v1/workspaces/:workspace_id/keys':
      '`{name, role?}` → a key `sk_…`, shown only here. Role: viewer.',
    'GET /v1/workspaces/:workspace_id/keys': 'Keys without the secret. Role: viewer.',
    'DELETE /v1/workspaces/:workspace_id/keys/:key_id': 'Removes a key. Role: viewer.',
    'POST /v1/workspaces/:workspace_id/documents':
      'JSON `{title, text, external_id?, metadata?}`, or a form with a `file` (txt, md, html, pdf, docx) → 201; 200 for a known `external_id`. Role: editor.',
    'GET /v1/workspaces/:workspace_id/documents':
      'Documents, newest first. `?status=&external_id=`. Role: viewer.',
    'GET /v1/workspaces/:workspace_id/documents/:document_id':
      'Status and progress of one document. Role: viewer.',
    'GET /v1/workspaces/:workspace_id/documents/:document_id/text':
      'Stored text of the served version. Role: viewer.',
    'PUT /v1/workspaces/:workspace_id/documents/:document_id':
      'A new version, which replaces the old one when it is ready. Role: editor.',
    'DELETE /v1/workspaces/:workspace_id/documents/:document_id':
      'Removes a document; it is never found or cited again. Role: editor.',
    'POST /v1/workspaces/:workspace_id/search':
      '`{query, k?}` → `{results: [{document_id, title, chunk_index, start, end, score, text, …}]}`. Role: viewer.',
    'POST /v1/workspaces/:workspace_id/chat':
      '`{query, k?, conversation_id?}` streams an answer with citations. Role: viewer.',
    'GET /v1/workspaces/:workspace_id/conversations': 'Conversations of the caller. Role: viewer.',
    'GET /v1/workspaces/:workspace_id/conversations/:conversation_id':
      'Messages with citations. `?limit=&after=`. Role: viewer.',
    'DELETE /v1/workspaces/:workspace_id/conversations/:conversation_id':
      'Removes a conversation. Role: viewer.',
  },
  'agent-environments': {
    'GET /v1/agents/environments': 'Answers 501.',
    'POST /v1/agents/environments': 'Answers 501.',
    'GET /v1/agents/environments/templates': 'Answers 501.',
    'GET /v1/agents/environments/:environment_id': 'Answers 501.',
    'GET /v1/agents/environments/:environment_id/files': 'Answers 501.',
    'POST /v1/agents/environments/:environment_id/files': 'Answers 501.',
  },
};

/**
 * Credentials that the table of credentials does not know, because they belong to no customer.
 *
 * @type {Record<string, string>}
 */
export const OTHER_CREDENTIALS = {
  'GET /api/files/:key': 'signed link',
  'POST /api/billing/webhooks/:provider': 'provider’s signature',
  'POST /v1/internal/usage': 'trainer credential',
};
