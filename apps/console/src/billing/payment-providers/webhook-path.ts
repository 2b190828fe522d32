/** The notifications of payment providers arrive below this path. */
export const WEBHOOK_PATH = '/api/billing/webhooks/';
