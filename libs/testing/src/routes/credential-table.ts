/**
 * Expected status of each route for each credential, for a JSON request with body `{}`. 401: the credential is not accepted.
 * 403: wrong role. Any other status: authenticated (or public), and the status of such a request.
 *
 * none       no credential
 * session    session JWT of a customer, as Bearer
 * expired    expired JWT of a session that has not ended, as Bearer
 * elsewhere  JWT signed by the same key for the other site, as Bearer
 * admin      session JWT of an administrator, as Bearer
 * key        API key (bfvk-…) of the same customer, as Bearer
 * mgmt       management key (bfvm-…) of the same customer, as Bearer
 * deleted    deleted API key of the same customer, as Bearer
 * sk_        key of a memo workspace, as X-API-Key
 * cookie     the JWT of `session` in the cookie `session`; `cookie-old`: the one of `expired`; `cookie-else`: the one of `elsewhere`
 * ?token=    the JWT of `session` in the query
 * API_KEY    the optional API_KEY of the agent environments, as Bearer
 *
 * The credentials of the platform's own services are not in the table, since most need the header of an account. The tests of
 * the apps that accept them (gateway, training) send them to each such route.
 */
const TABLE = `
console                                               none  session  expired  elsewhere  admin  key  mgmt  deleted  sk_  cookie  cookie-old  cookie-else  ?token=  API_KEY
  GET    /healthz                                      200      200      200        200    200  200   200      200  200     200      200         200          200      200
  GET    /.well-known/jwks.json                        200      200      200        200    200  200   200      200  200     200      200         200          200      200
  GET    /api/site                                     200      200      200        200    200  200   200      200  200     200      200         200          200      200
  GET    /api/pricing                                  200      200      200        200    200  200   200      200  200     200      200         200          200      200
  GET    /api/payments/providers                       200      200      200        200    200  200   200      200  200     200      200         200          200      200
  GET    /api/models                                   200      200      200        200    200  200   200      200  200     200      200         200          200      200
  GET    /api/models/*slug                             404      404      404        404    404  404   404      404  404     404      404         404          404      404
  GET    /api/models/*slug/download                    401      401      401        401    401  404   401      401  401     401      401         401          404      401
  POST   /api/models/*slug/link                        401      404      401        401    404  401   401      401  401     401      401         401          401      401
  GET    /api/files/:key                               403      403      403        403    403  403   403      403  403     403      403         403          403      403
  GET    /api/download/engine-latest                   404      404      404        404    404  404   404      404  404     404      404         404          404      404
  GET    /api/download/router-latest                   404      404      404        404    404  404   404      404  404     404      404         404          404      404
  GET    /api/download/agent-latest                    404      404      404        404    404  404   404      404  404     404      404         404          404      404
  GET    /api/download/memo-latest                     404      404      404        404    404  404   404      404  404     404      404         404          404      404
  GET    /api/changelog                                200      200      200        200    200  200   200      200  200     200      200         200          200      200
  GET    /api/changelog.atom                           200      200      200        200    200  200   200      200  200     200      200         200          200      200
  GET    /api/announcements                            200      200      200        200    200  200   200      200  200     200      200         200          200      200
  POST   /api/mail/unsubscribe                         400      400      400        400    400  400   400      400  400     400      400         400          400      400
  POST   /api/mail/subscribe                           400      400      400        400    400  400   400      400  400     400      400         400          400      400
  GET    /api/status                                   404      404      404        404    404  404   404      404  404     404      404         404          404      404
  GET    /sitemap.xml                                  200      200      200        200    200  200   200      200  200     200      200         200          200      200
  GET    /sitemap-:number.xml                          404      404      404        404    404  404   404      404  404     404      404         404          404      404
  POST   /api/auth/register                            400      400      400        400    400  400   400      400  400     400      400         400          400      400
  POST   /api/auth/login                               400      400      400        400    400  400   400      400  400     400      400         400          400      400
  GET    /api/auth/me                                  401      200      401        401    200  401   401      401  401     401      401         401          401      401
  PATCH  /api/auth/me                                  401      200      401        401    200  401   401      401  401     401      401         401          401      401
  POST   /api/auth/logout                              401      204      401        401    204  401   401      401  401     401      401         401          401      401
  POST   /api/auth/refresh                             401      401      401        401    401  401   401      401  401     401      401         401          401      401
  GET    /api/auth/sessions                            401      200      401        401    200  401   401      401  401     401      401         401          401      401
  DELETE /api/auth/sessions                            401      204      401        401    204  401   401      401  401     401      401         401          401      401
  DELETE /api/auth/sessions/:id                        401      404      401        401    404  401   401      401  401     401      401         401          401      401
  POST   /api/auth/password/forgot                     400      400      400        400    400  400   400      400  400     400      400         400          400      400
  POST   /api/auth/password/reset                      400      400      400        400    400  400   400      400  400     400      400         400          400      400
  PUT    /api/auth/password                            401      400      401        401    400  401   401      401  401     401      401         401          401      401
  POST   /api/auth/email/verify                        400      400      400        400    400  400   400      400  400     400      400         400          400      400
  POST   /api/auth/2fa/setup                           401      200      401        401    200  401   401      401  401     401      401         401          401      401
  POST   /api/auth/2fa/enable                          401      400      401        401    400  401   401      401  401     401      401         401          401      401
  POST   /api/auth/2fa/disable                         401      400      401        401    400  401   401      401  401     401      401         401          401      401
  POST   /api/auth/2fa/recovery-codes                  401      400      401        401    400  401   401      401  401     401      401         401          401      401
  POST   /api/auth/2fa/verify                          400      400      400        400    400  400   400      400  400     400      400         400          400      400
  GET    /api/auth/oauth/:provider                     404      404      404        404    404  404   404      404  404     404      404         404          404      404
  POST   /api/auth/oauth/suspension                    400      400      400        400    400  400   400      400  400     400      400         400          400      400
  GET    /api/auth/oauth/:provider/callback            404      404      404        404    404  404   404      404  404     404      404         404          404      404
  POST   /api/auth/oauth/:provider/link                401      404      401        401    404  401   401      401  401     401      401         401          401      401
  GET    /api/auth/identities                          401      200      401        401    200  401   401      401  401     401      401         401          401      401
  DELETE /api/auth/identities/:id                      401      404      401        401    404  401   401      401  401     401      401         401          401      401
  GET    /api/auth/events                              401      200      401        401    200  401   401      401  401     401      401         401          401      401
  GET    /api/limits                                   401      200      401        401    200  401   401      401  401     401      401         401          401      401
  GET    /api/limits/history                           401      200      401        401    200  401   401      401  401     401      401         401          401      401
  POST   /api/api-keys                                 401      400      401        401    400  401   400      401  401     401      401         401          401      401
  GET    /api/api-keys                                 401      200      401        401    200  401   200      401  401     401      401         401          401      401
  PATCH  /api/api-keys/:id                             401      404      401        401    404  401   404      401  401     401      401         401          401      401
  DELETE /api/api-keys/:id                             401      404      401        401    404  401   401      401  401     401      401         401          401      401
  POST   /api/api-keys/:id/rotate                      401      404      401        401    404  401   404      401  401     401      401         401          401      401
  POST   /api/keys/leaked                              404      404      404        404    404  404   404      404  404     404      404         404          404      404
  GET    /api/billing/usage                            401      200      401        401    200  401   401      401  401     401      401         401          401      401
  GET    /api/billing/usage/calls                      401      200      401        401    200  401   401      401  401     401      401         401          401      401
  GET    /api/billing/proof                            401      200      401        401    200  401   401      401  401     401      401         401          401      401
  GET    /api/cost-report                              401      403      401        401    200  401   401      401  401     401      401         401          401      401
  GET    /api/billing/requests                         401      200      401        401    200  401   401      401  401     401      401         401          401      401
  GET    /api/billing/requests/:requestId              401      404      401        401    404  401   401      401  401     401      401         401          401      401
  GET    /api/billing/transactions                     401      200      401        401    200  401   401      401  401     401      401         401          401      401
  GET    /api/billing/settings                         401      200      401        401    200  401   401      401  401     401      401         401          401      401
  PATCH  /api/billing/settings                         401      200      401        401    200  401   401      401  401     401      401         401          401      401
  GET    /api/account/announcements                    401      200      401        401    200  401   401      401  401     401      401         401          401      401
  POST   /api/account/announcements/:id/dismiss        401      404      401        401    404  401   401      401  401     401      401         401          401      401
  GET    /api/account/mail-preferences                 401      200      401        401    200  401   401      401  401     401      401         401          401      401
  PUT    /api/account/mail-preferences                 401      400      401        401    400  401   401      401  401     401      401         401          401      401
  POST   /api/billing/payments                         401      400      401        401    400  401   401      401  401     401      401         401          401      401
  GET    /api/billing/payments                         401      200      401        401    200  401   401      401  401     401      401         401          401      401
  GET    /api/billing/payments/:id                     401      404      401        401    404  401   401      401  401     401      401         401          401      401
  POST   /api/billing/payments/:id/seen                401      404      401        401    404  401   401      401  401     401      401         401          401      401
  GET    /api/billing/refunds                          401      200      401        401    200  401   401      401  401     401      401         401          401      401
  POST   /api/billing/webhooks/:provider               404      404      404        404    404  404   404      404  404     404      404         404          404      404
  GET    /api/billing/receipts/:paymentId/download     401      404      401        401    404  401   401      401  401     401      401         401          404      401
  POST   /api/billing/receipts/:paymentId/link         401      404      401        401    404  401   401      401  401     401      401         401          401      401
  GET    /api/billing/receipts/:paymentId/file         400      400      400        400    400  400   400      400  400     400      400         400          400      400
  POST   /api/billing/invoices                         401      400      401        401    400  401   401      401  401     401      401         401          401      401
  GET    /api/billing/invoices                         401      200      401        401    200  401   401      401  401     401      401         401          401      401
  GET    /api/billing/invoices/:paymentId/download     401      404      401        401    404  401   401      401  401     401      401         401          404      401
  POST   /api/playground/chat/completions              401      400      401        401    400  401   401      401  401     401      401         401          401      401
  GET    /api/playground/models                        401      200      401        401    200  401   401      401  401     401      401         401          401      401
  POST   /api/playground/estimate                      401      400      401        401    400  401   401      401  401     401      401         401          401      401
  GET    /api/playground/presets                       401      200      401        401    200  401   401      401  401     401      401         401          401      401
  POST   /api/playground/presets                       401      400      401        401    400  401   401      401  401     401      401         401          401      401
  GET    /api/playground/presets/:id                   401      404      401        401    404  401   401      401  401     401      401         401          401      401
  PUT    /api/playground/presets/:id                   401      400      401        401    400  401   401      401  401     401      401         401          401      401
  DELETE /api/playground/presets/:id                   401      404      401        401    404  401   401      401  401     401      401         401          401      401
  GET    /api/playground/conversations                 401      200      401        401    200  401   401      401  401     401      401         401          401      401
  POST   /api/playground/conversations                 401      400      401        401    400  401   401      401  401     401      401         401          401      401
  DELETE /api/playground/conversations                 401      204      401        401    204  401   401      401  401     401      401         401          401      401
  GET    /api/playground/conversations/:id             401      404      401        401    404  401   401      401  401     401      401         401          401      401
  PUT    /api/playground/conversations/:id             401      400      401        401    400  401   401      401  401     401      401         401          401      401
  PATCH  /api/playground/conversations/:id             401      400      401        401    400  401   401      401  401     401      401         401          401      401
  DELETE /api/playground/conversations/:id             401      404      401        401    404  401   401      401  401     401      401         401          401      401
  GET    /api/playground/settings                      401      200      401        401    200  401   401      401  401     401      401         401          401      401
  PUT    /api/playground/settings                      401      400      401        401    400  401   401      401  401     401      401         401          401      401
  POST   /api/agents/sessions                          401      201      401        401    201  401   401      401  401     401      401         401          401      401
  GET    /api/agents/sessions                          401      200      401        401    200  401   401      401  401     401      401         401          401      401
  GET    /api/agents/sessions/:session_id              401      404      401        401    404  401   401      401  401     401      401         401          401      401
  PATCH  /api/agents/sessions/:session_id              401      400      401        401    400  401   401      401  401     401      401         401          401      401
  DELETE /api/agents/sessions/:session_id              401      404      401        401    404  401   401      401  401     401      401         401          401      401
  POST   /api/agents/sessions/:session_id/cancel       401      404      401        401    404  401   401      401  401     401      401         401          401      401
  POST   /api/agents/sessions/:session_id/events       401      400      401        401    400  401   401      401  401     401      401         401          401      401
  POST   /api/agents/sessions/:session_id/events/stream 401      400      401        401    400  401   401      401  401     401      401         401          401      401
  GET    /api/agents/sessions/:session_id/events/stream 401      404      401        401    404  401   401      401  401     401      401         401          401      401
  GET    /api/agents/sessions/:session_id/events       401      404      401        401    404  401   401      401  401     401      401         401          401      401
  GET    /api/agents/sessions/:session_id/events/:event_id 401      404      401        401    404  401   401      401  401     401      401         401          401      401
  POST   /api/billing/invoices/:paymentId/link         401      404      401        401    404  401   401      401  401     401      401         401          401      401
  GET    /api/billing/invoices/:paymentId/file         400      400      400        400    400  400   400      400  400     400      400         400          400      400
  GET    /api/admin/accounts                           401      403      401        401    200  401   401      401  401     401      401         401          401      401
  POST   /api/admin/accounts/search                    401      403      401        401    400  401   401      401  401     401      401         401          401      401
  GET    /api/admin/accounts/:id                       401      403      401        401    404  401   401      401  401     401      401         401          401      401
  GET    /api/admin/accounts/:id/usage                 401      403      401        401    404  401   401      401  401     401      401         401          401      401
  GET    /api/admin/accounts/:id/transactions          401      403      401        401    404  401   401      401  401     401      401         401          401      401
  GET    /api/admin/accounts/:id/requests              401      403      401        401    404  401   401      401  401     401      401         401          401      401
  GET    /api/admin/accounts/:id/requests/:requestId   401      403      401        401    404  401   401      401  401     401      401         401          401      401
  POST   /api/admin/accounts/:id/suspend               401      403      401        401    400  401   401      401  401     401      401         401          401      401
  POST   /api/admin/accounts/:id/reactivate            401      403      401        401    400  401   401      401  401     401      401         401          401      401
  GET    /api/admin/accounts/:id/keys                  401      403      401        401    404  401   401      401  401     401      401         401          401      401
  POST   /api/admin/accounts/:id/keys/:keyId/suspend   401      403      401        401    400  401   401      401  401     401      401         401          401      401
  POST   /api/admin/accounts/:id/keys/:keyId/reactivate 401      403      401        401    400  401   401      401  401     401      401         401          401      401
  GET    /api/admin/accounts/:id/timeline              401      403      401        401    404  401   401      401  401     401      401         401          401      401
  GET    /api/admin/accounts/:id/sessions              401      403      401        401    404  401   401      401  401     401      401         401          401      401
  GET    /api/admin/accounts/:id/agents                401      403      401        401    404  401   401      401  401     401      401         401          401      401
  GET    /api/admin/accounts/:id/workspaces            401      403      401        401    404  401   401      401  401     401      401         401          401      401
  GET    /api/admin/accounts/:id/documents             401      403      401        401    404  401   401      401  401     401      401         401          401      401
  GET    /api/admin/accounts/:id/notes                 401      403      401        401    404  401   401      401  401     401      401         401          401      401
  POST   /api/admin/accounts/:id/notes                 401      403      401        401    400  401   401      401  401     401      401         401          401      401
  POST   /api/admin/accounts/:id/views                 401      403      401        401    400  401   401      401  401     401      401         401          401      401
  DELETE /api/admin/accounts/:id/views/:viewId         401      403      401        401    404  401   401      401  401     401      401         401          401      401
  DELETE /api/admin/accounts/:id/sessions/:sessionId   401      403      401        401    404  401   401      401  401     401      401         401          401      401
  GET    /api/admin/requests/:requestId                401      403      401        401    404  401   401      401  401     401      401         401          401      401
  GET    /api/admin/accounts/:id/limits                401      403      401        401    404  401   401      401  401     401      401         401          401      401
  GET    /api/admin/accounts/:id/limits/history        401      403      401        401    404  401   401      401  401     401      401         401          401      401
  PUT    /api/admin/accounts/:id/limits                401      403      401        401    400  401   401      401  401     401      401         401          401      401
  DELETE /api/admin/accounts/:id/limits                401      403      401        401    404  401   401      401  401     401      401         401          401      401
  PUT    /api/admin/accounts/:id/role                  401      403      401        401    400  401   401      401  401     401      401         401          401      401
  POST   /api/admin/accounts/:id/2fa/disable           401      403      401        401    404  401   401      401  401     401      401         401          401      401
  GET    /api/admin/staff                              401      403      401        401    200  401   401      401  401     401      401         401          401      401
  GET    /api/admin/dashboard                          401      403      401        401    200  401   401      401  401     401      401         401          401      401
  GET    /api/admin/reports/margin                     401      403      401        401    200  401   401      401  401     401      401         401          401      401
  GET    /api/admin/reports/unserved-calls             401      403      401        401    200  401   401      401  401     401      401         401          401      401
  GET    /api/admin/events                             401      403      401        401    200  401   401      401  401     401      401         401          401      401
  PUT    /api/admin/billing/pricing/models             401      403      401        401    400  401   401      401  401     401      401         401          401      401
  PUT    /api/admin/billing/pricing/gpus               401      403      401        401    400  401   401      401  401     401      401         401          401      401
  GET    /api/admin/billing/pricing/models             401      403      401        401    200  401   401      401  401     401      401         401          401      401
  PATCH  /api/admin/billing/pricing/models             401      403      401        401    400  401   401      401  401     401      401         401          401      401
  GET    /api/admin/billing/pricing/gpus               401      403      401        401    200  401   401      401  401     401      401         401          401      401
  PATCH  /api/admin/billing/pricing/gpus               401      403      401        401    400  401   401      401  401     401      401         401          401      401
  GET    /api/admin/billing/pricing/training           401      403      401        401    200  401   401      401  401     401      401         401          401      401
  PUT    /api/admin/billing/pricing/training           401      403      401        401    400  401   401      401  401     401      401         401          401      401
  GET    /api/admin/billing/exchange-rates             401      403      401        401    200  401   401      401  401     401      401         401          401      401
  PUT    /api/admin/billing/exchange-rates             401      403      401        401    400  401   401      401  401     401      401         401          401      401
  GET    /api/admin/upstreams                          401      403      401        401    200  401   401      401  401     401      401         401          401      401
  POST   /api/admin/upstreams                          401      403      401        401    400  401   401      401  401     401      401         401          401      401
  PATCH  /api/admin/upstreams/:id                      401      403      401        401    404  401   401      401  401     401      401         401          401      401
  DELETE /api/admin/upstreams/:id                      401      403      401        401    404  401   401      401  401     401      401         401          401      401
  POST   /api/admin/upstreams/:id/drain                401      403      401        401    404  401   401      401  401     401      401         401          401      401
  GET    /api/admin/upstreams/:id/cost-prices          401      403      401        401    404  401   401      401  401     401      401         401          401      401
  PUT    /api/admin/upstreams/:id/cost-prices          401      403      401        401    400  401   401      401  401     401      401         401          401      401
  GET    /api/admin/upstreams/:id/cost-prices/history  401      403      401        401    404  401   401      401  401     401      401         401          401      401
  POST   /api/admin/upstreams/test                     401      403      401        401    400  401   401      401  401     401      401         401          401      401
  POST   /api/admin/upstreams/:id/test                 401      403      401        401    404  401   401      401  401     401      401         401          401      401
  POST   /api/admin/upstreams/:id/credentials          401      403      401        401    400  401   401      401  401     401      401         401          401      401
  DELETE /api/admin/upstreams/:id/credentials/:credential 401      403      401        401    404  401   401      401  401     401      401         401          401      401
  GET    /api/admin/inference/models                   401      403      401        401    200  401   401      401  401     401      401         401          401      401
  POST   /api/admin/inference/models                   401      403      401        401    400  401   401      401  401     401      401         401          401      401
  PATCH  /api/admin/inference/models/:id               401      403      401        401    404  401   401      401  401     401      401         401          401      401
  DELETE /api/admin/inference/models/:id               401      403      401        401    404  401   401      401  401     401      401         401          401      401
  POST   /api/admin/billing/adjustments                401      403      401        401    400  401   401      401  401     401      401         401          401      401
  GET    /api/admin/billing/payments                   401      403      401        401    200  401   401      401  401     401      401         401          401      401
  GET    /api/admin/billing/payments/:id               401      403      401        401    404  401   401      401  401     401      401         401          401      401
  POST   /api/admin/billing/payments/:id/refund        401      403      401        401    404  401   401      401  401     401      401         401          401      401
  GET    /api/admin/billing/refunds                    401      403      401        401    200  401   401      401  401     401      401         401          401      401
  GET    /api/admin/billing/provider-events 401 403 401 401 200 401 401 401 401 401 401 401 401 401
  GET    /api/admin/billing/provider-events/:id 401 403 401 401 404 401 401 401 401 401 401 401 401 401
  POST   /api/admin/billing/provider-events/:id/close 401 403 401 401 400 401 401 401 401 401 401 401 401 401
  GET    /api/admin/exports                           401 403 401 401 200 401 401 401 401 401 401 401 401 401
  GET    /api/admin/exports/progress                  401 403 401 401 200 401 401 401 401 401 401 401 401 401
  POST   /api/admin/exports/:hour/repeat              401 403 401 401 400 401 401 401 401 401 401 401 401 401
  GET    /api/admin/models                             401      403      401        401    200  401   401      401  401     401      401         401          401      401
  GET    /api/admin/models/*slug                       401      403      401        401    404  401   401      401  401     401      401         401          401      401
  PUT    /api/admin/models/*slug                       401      403      401        401    400  401   401      401  401     401      401         401          401      401
  DELETE /api/admin/models/*slug                       401      403      401        401    404  401   401      401  401     401      401         401          401      401
  PUT    /api/admin/models/*slug/packages/:version     401      403      401        401    415  401   401      401  401     401      401         401          401      401
  DELETE /api/admin/models/*slug/packages/:version     401      403      401        401    404  401   401      401  401     401      401         401          401      401
  POST   /api/admin/package-uploads                    401      403      401        401    400  401   401      401  401     401      401         401          401      401
  GET    /api/admin/package-uploads                    401      403      401        401    200  401   401      401  401     401      401         401          401      401
  GET    /api/admin/package-uploads/:id                401      403      401        401    404  401   401      401  401     401      401         401          401      401
  PUT    /api/admin/package-uploads/:id/parts/:number  401      403      401        401    400  401   401      401  401     401      401         401          401      401
  POST   /api/admin/package-uploads/:id/complete       401      403      401        401    404  401   401      401  401     401      401         401          401      401
  DELETE /api/admin/package-uploads/:id                401      403      401        401    404  401   401      401  401     401      401         401          401      401
  GET    /api/admin/billing/pricing/models/history     401      403      401        401    200  401   401      401  401     401      401         401          401      401
  GET    /api/admin/billing/pricing/gpus/history       401      403      401        401    200  401   401      401  401     401      401         401          401      401
  GET    /api/admin/billing/pricing/training/history   401      403      401        401    200  401   401      401  401     401      401         401          401      401
  GET    /api/admin/releases                           401      403      401        401    200  401   401      401  401     401      401         401          401      401
  GET    /api/admin/releases/followed                  401      403      401        401    200  401   401      401  401     401      401         401          401      401
  PUT    /api/admin/releases/:component/:tag           401      403      401        401    400  401   401      401  401     401      401         401          401      401
  DELETE /api/admin/releases/:component/:tag           401      403      401        401    400  401   401      401  401     401      401         401          401      401
  POST   /api/admin/changelog                          401      403      401        401    400  401   401      401  401     401      401         401          401      401
  PUT    /api/admin/changelog/:id                      401      403      401        401    400  401   401      401  401     401      401         401          401      401
  DELETE /api/admin/changelog/:id                      401      403      401        401    404  401   401      401  401     401      401         401          401      401
  GET    /api/admin/announcements                      401      403      401        401    200  401   401      401  401     401      401         401          401      401
  POST   /api/admin/announcements                      401      403      401        401    400  401   401      401  401     401      401         401          401      401
  PUT    /api/admin/announcements/:id                  401      403      401        401    400  401   401      401  401     401      401         401          401      401
  POST   /api/admin/announcements/:id/end              401      403      401        401    404  401   401      401  401     401      401         401          401      401
  POST   /api/admin/announcements/:id/mailing          401      403      401        401    404  401   401      401  401     401      401         401          401      401
  POST   /api/admin/announcements/:id/mailing/count    401      403      401        401    404  401   401      401  401     401      401         401          401      401
  POST   /api/admin/announcements/:id/mailing/cancel   401      403      401        401    404  401   401      401  401     401      401         401          401      401
  GET    /api/admin/downloads                          401      403      401        401    200  401   401      401  401     401      401         401          401      401
  GET    /api/admin/health                             401      403      401        401    200  401   401      401  401     401      401         401          401      401

gateway                                               none  session  expired  elsewhere  admin  key  mgmt  deleted  sk_  cookie  cookie-old  cookie-else  ?token=  API_KEY
  GET    /healthz                                      200      200      200        200    200  200   200      200  200     200      200         200          200      200
  GET    /v1/models                                    401      401      401        401    401  200   401      401  401     401      401         401          401      401
  GET    /v1/models/*slug                              401      401      401        401    401  404   401      401  401     401      401         401          401      401
  POST   /v1/audio/speech                              401      401      401        401    401  400   401      401  401     401      401         401          401      401
  POST   /v1/audio/transcriptions                      401      401      401        401    401  415   401      401  401     401      401         401          401      401
  POST   /v1/audio/translations                        401      401      401        401    401  415   401      401  401     401      401         401          401      401
  POST   /v1/chat/completions                          401      401      401        401    401  400   401      401  401     401      401         401          401      401
  POST   /v1/chat/completions/estimate                 401      401      401        401    401  400   401      401  401     401      401         401          401      401
  POST   /v1/completions                               401      401      401        401    401  400   401      401  401     401      401         401          401      401
  POST   /v1/embeddings                                401      401      401        401    401  400   401      401  401     401      401         401          401      401
  POST   /v1/images/generations                        401      401      401        401    401  400   401      401  401     401      401         401          401      401
  POST   /v1/messages                                  401      401      401        401    401  400   401      401  401     401      401         401          401      401
  POST   /v1/messages/count_tokens                     401      401      401        401    401  400   401      401  401     401      401         401          401      401
  POST   /v1/moderations                               401      401      401        401    401  400   401      401  401     401      401         401          401      401
  POST   /v1/rerank                                    401      401      401        401    401  400   401      401  401     401      401         401          401      401
  POST   /v1/responses                                 401      401      401        401    401  400   401      401  401     401      401         401          401      401
  GET    /v1/responses/:response_id                   401      401      401        401    401  404   401      401  401     401      401         401          401      401
  DELETE /v1/responses/:response_id                   401      401      401        401    401  404   401      401  401     401      401         401          401      401
  GET    /v1/responses/:response_id/input_items       401      401      401        401    401  404   401      401  401     401      401         401          401      401
  POST   /v1/responses/:response_id/cancel            401      401      401        401    401  404   401      401  401     401      401         401          401      401
  HEAD   /                                             200      200      200        200    200  200   200      200  200     200      200         200          200      200

router-cost                                           none  session  expired  elsewhere  admin  key  mgmt  deleted  sk_  cookie  cookie-old  cookie-else  ?token=  API_KEY
  GET    /healthz                                      200      200      200        200    200  200   200      200  200     200      200         200          200      200
  GET    /v1/router/cost                               401      401      401        401    401  200   401      401  401     200      401         401          401      401

training                                              none  session  expired  elsewhere  admin  key  mgmt  deleted  sk_  cookie  cookie-old  cookie-else  ?token=  API_KEY
  GET    /healthz                                      200      200      200        200    200  200   200      200  200     200      200         200          200      200
  GET    /v1/capabilities                              401      200      401        401    200  200   401      401  401     401      401         401          401      401
  GET    /v1/admin/quotas/:accountId                   401      403      401        401    404  401   401      401  401     401      401         401          401      401
  PUT    /v1/admin/quotas/:accountId                   401      403      401        401    400  401   401      401  401     401      401         401          401      401
  POST   /v1/internal/usage                            401      401      401        401    401  401   401      401  401     401      401         401          401      401

agent                                                 none  session  expired  elsewhere  admin  key  mgmt  deleted  sk_  cookie  cookie-old  cookie-else  ?token=  API_KEY
  GET    /healthz                                      200      200      200        200    200  200   200      200  200     200      200         200          200      200
  POST   /v1/agents/sessions                           401      401      401        401    401  201   401      401  401     401      401         401          401      401
  GET    /v1/agents/sessions                           401      401      401        401    401  200   401      401  401     401      401         401          401      401
  GET    /v1/agents/sessions/:session_id               401      401      401        401    401  404   401      401  401     401      401         401          401      401
  PATCH  /v1/agents/sessions/:session_id               401      401      401        401    401  400   401      401  401     401      401         401          401      401
  DELETE /v1/agents/sessions/:session_id               401      401      401        401    401  404   401      401  401     401      401         401          401      401
  POST   /v1/agents/sessions/:session_id/cancel        401      401      401        401    401  404   401      401  401     401      401         401          401      401
  POST   /v1/agents/sessions/:session_id/events        401      401      401        401    401  400   401      401  401     401      401         401          401      401
  POST   /v1/agents/sessions/:session_id/events/stream 401      401      401        401    401  400   401      401  401     401      401         401          401      401
  GET    /v1/agents/sessions/:session_id/events/stream 401      401      401        401    401  404   401      401  401     401      401         401          401      401
  GET    /v1/agents/sessions/:session_id/events        401      401      401        401    401  404   401      401  401     401      401         401          401      401
  GET    /v1/agents/sessions/:session_id/events/:event_id 401   401      401        401    401  404   401      401  401     401      401         401          401      401

memo                                                  none  session  expired  elsewhere  admin  key  mgmt  deleted  sk_  cookie  cookie-old  cookie-else  ?token=  API_KEY
  GET    /healthz                                      200      200      200        200    200  200   200      200  200     200      200         200          200      200
  POST   /v1/workspaces                                401      400      401        401    400  401   401      401  401     401      401         401          401      401
  GET    /v1/workspaces                                401      200      401        401    200  401   401      401  401     401      401         401          401      401
  GET    /v1/workspaces/:workspace_id                  401      404      401        401    404  401   401      401  404     401      401         401          401      401
  PATCH  /v1/workspaces/:workspace_id                  401      404      401        401    404  401   401      401  401     401      401         401          401      401
  DELETE /v1/workspaces/:workspace_id                  401      404      401        401    404  401   401      401  401     401      401         401          401      401
  GET    /v1/workspaces/:workspace_id/members          401      404      401        401    404  401   401      401  401     401      401         401          401      401
  PATCH  /v1/workspaces/:workspace_id/members/:user_id 401      404      401        401    404  401   401      401  401     401      401         401          401      401
  DELETE /v1/workspaces/:workspace_id/members/:user_id 401      404      401        401    404  401   401      401  401     401      401         401          401      401
  POST   /v1/workspaces/:workspace_id/invitations      401      404      401        401    404  401   401      401  401     401      401         401          401      401
  GET    /v1/workspaces/:workspace_id/invitations      401      404      401        401    404  401   401      401  401     401      401         401          401      401
  DELETE /v1/workspaces/:workspace_id/invitations/:invitation_id 401 404  401       401    404  401 401      401  401     401      401         401          401      401
  GET    /v1/invitations                               401      200      401        401    200  401   401      401  401     401      401         401          401      401
  POST   /v1/invitations/:invitation_id/accept         401      404      401        401    404  401   401      401  401     401      401         401          401      401
  DELETE /v1/invitations/:invitation_id                401      404      401        401    404  401   401      401  401     401      401         401          401      401
  POST   /v1/workspaces/:workspace_id/keys             401      404      401        401    404  401   401      401  401     401      401         401          401      401
  GET    /v1/workspaces/:workspace_id/keys             401      404      401        401    404  401   401      401  401     401      401         401          401      401
  DELETE /v1/workspaces/:workspace_id/keys/:key_id     401      404      401        401    404  401   401      401  401     401      401         401          401      401
  POST   /v1/workspaces/:workspace_id/documents        401      404      401        401    404  401   401      401  404     401      401         401          401      401
  GET    /v1/workspaces/:workspace_id/documents        401      404      401        401    404  401   401      401  404     401      401         401          401      401
  GET    /v1/workspaces/:workspace_id/documents/:document_id 401 404      401        401    404  401 401      401  404     401      401         401          401      401
  GET    /v1/workspaces/:workspace_id/documents/:document_id/text 401 404 401        401    404  401 401      401  404     401      401         401          401      401
  GET    /v1/workspaces/:workspace_id/documents/:document_id/file 401 404 401        401    404  401 401      401  404     401      401         401          401      401
  POST   /v1/workspaces/:workspace_id/documents/:document_id/retry 401 404 401       401    404  401 401      401  404     401      401         401          401      401
  PUT    /v1/workspaces/:workspace_id/documents/:document_id 401 404      401        401    404  401 401      401  404     401      401         401          401      401
  DELETE /v1/workspaces/:workspace_id/documents/:document_id 401 404      401        401    404  401 401      401  404     401      401         401          401      401
  POST   /v1/workspaces/:workspace_id/search           401      404      401        401    404  401   401      401  404     401      401         401          401      401
  POST   /v1/workspaces/:workspace_id/chat             401      404      401        401    404  401   401      401  404     401      401         401          401      401
  GET    /v1/workspaces/:workspace_id/conversations    401      404      401        401    404  401   401      401  404     401      401         401          401      401
  GET    /v1/workspaces/:workspace_id/conversations/:conversation_id 401 404 401    401    404  401 401      401  404     401      401         401          401      401
  GET    /v1/workspaces/:workspace_id/conversations/:conversation_id/messages/:message_id/passages 401 404 401    401    404  401 401      401  404     401      401         401          401      401
  PUT    /v1/workspaces/:workspace_id/conversations/:conversation_id/messages/:message_id/feedback 401 404 401 401 404 401 401 401 404 401 401 401 401 401
  DELETE /v1/workspaces/:workspace_id/conversations/:conversation_id/messages/:message_id/feedback 401 404 401 401 404 401 401 401 404 401 401 401 401 401
  GET    /v1/workspaces/:workspace_id/feedback         401      404      401        401    404  401   401      401  401     401      401         401          401      401
  GET    /v1/workspaces/:workspace_id/options          401      404      401        401    404  401   401      401  404     401      401         401          401      401
  GET    /v1/workspaces/:workspace_id/topics           401      404      401        401    404  401   401      401  404     401      401         401          401      401
  DELETE /v1/workspaces/:workspace_id/conversations/:conversation_id 401 404 401    401    404  401 401      401  404     401      401         401          401      401

agent-environments                                    none  session  expired  elsewhere  admin  key  mgmt  deleted  sk_  cookie  cookie-old  cookie-else  ?token=  API_KEY
  GET    /healthz                                      200      200      200        200    200  200   200      200  200     200      200         200          200      200
  GET    /v1/agents/environments                       501      501      501        501    501  501   501      501  501     501      501         501          501      501
  POST   /v1/agents/environments                       501      501      501        501    501  501   501      501  501     501      501         501          501      501
  GET    /v1/agents/environments/templates             501      501      501        501    501  501   501      501  501     501      501         501          501      501
  GET    /v1/agents/environments/:environment_id       501      501      501        501    501  501   501      501  501     501      501         501          501      501
  GET    /v1/agents/environments/:environment_id/files 501      501      501        501    501  501   501      501  501     501      501         501          501      501
  POST   /v1/agents/environments/:environment_id/files 501      501      501        501    501  501   501      501  501     501      501         501          501      501

agent-environments-with-key                           none  session  expired  elsewhere  admin  key  mgmt  deleted  sk_  cookie  cookie-old  cookie-else  ?token=  API_KEY
  GET    /healthz                                      200      200      200        200    200  200   200      200  200     200      200         200          200      200
  GET    /v1/agents/environments                       401      401      401        401    401  401   401      401  401     401      401         401          401      501
  POST   /v1/agents/environments                       401      401      401        401    401  401   401      401  401     401      401         401          401      501
  GET    /v1/agents/environments/templates             401      401      401        401    401  401   401      401  401     401      401         401          401      501
  GET    /v1/agents/environments/:environment_id       401      401      401        401    401  401   401      401  401     401      401         401          401      501
  GET    /v1/agents/environments/:environment_id/files 401      401      401        401    401  401   401      401  401     401      401         401          401      501
  POST   /v1/agents/environments/:environment_id/files 401      401      401        401    401  401   401      401  401     401      401         401          401      501
`;

const CREDENTIALS = [
  'none',
  'session',
  'expired',
  'elsewhere',
  'admin',
  'key',
  'mgmt',
  'deleted',
  'sk_',
  'cookie',
  'cookie-old',
  'cookie-else',
  '?token=',
  'API_KEY',
] as const;

export type Credential = (typeof CREDENTIALS)[number];

export interface CredentialRow {
  service: string;
  method: string;
  /** Path pattern, such as /v1/things/:id. */
  path: string;
  /** Method and path in the format of `registeredRoutes`. */
  route: string;
  /** Expected status for each credential. */
  statuses: Record<Credential, number>;
}

function readRow(service: string, line: string): CredentialRow {
  const [method = '', path = '', ...cells] = line.trim().split(/ +/);
  const statuses = cells.map(Number);
  if (statuses.length !== CREDENTIALS.length || !statuses.every((status) => status >= 200 && status < 600))
    throw new Error(`This row of the table of credentials is not complete: ${line}`);
  const byCredential = Object.fromEntries(CREDENTIALS.map((name, column) => [name, statuses[column]]));
  return {
    service,
    method,
    path,
    route: `${method} ${path}`,
    statuses: byCredential as CredentialRow['statuses'],
  };
}

function readTable(text: string): CredentialRow[] {
  let service = '';
  return text.split('\n').flatMap((line) => {
    if (line === '') return [];
    if (line.startsWith(' ')) return [readRow(service, line)];
    const [name = '', ...columns] = line.split(/ +/);
    if (columns.join() !== CREDENTIALS.join()) throw new Error(`${name} has other columns than the rest.`);
    service = name;
    return [];
  });
}

const ROWS = readTable(TABLE);

/** Names of all services in the table. */
export const TABLED_SERVICES: string[] = [...new Set(ROWS.map(({ service }) => service))];

/** Returns the expectations for the routes of one service. */
export const credentialRows = (service: string): CredentialRow[] =>
  ROWS.filter((row) => row.service === service);

/** Returns every route of one service in the order of `registeredRoutes`. */
export const tabledRoutes = (service: string): string[] =>
  credentialRows(service)
    .map(({ route }) => route)
    .sort();
