import { waitFor } from '@inference/testing';
import { type Platform } from '../../deployment/site-runs';
import { consoleBody } from '../../site/console-client';

/**
 * Gives the demo account what its pages show beyond the first start: a call, a paid payment of which a part is refunded, and
 * an open one.
 */
export async function seedContent({ site, urls, accounts, sandbox }: Platform): Promise<void> {
  const { identifier, password, apiKey } = accounts.demo;
  const call = await fetch(`${urls.gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ model: 'sandbox-chat', messages: [{ role: 'user', content: 'Hello' }] }),
  });
  if (!call.ok) throw new Error(`The call answered ${call.status}: ${await call.text()}`);
  await call.text();
  const signIn = async (json: { identifier: string; password: string }) =>
    (await consoleBody<{ token: string }>(urls.console!, 'POST', '/api/auth/login', { json })).token;
  const token = await signIn({ identifier, password });
  const json = { provider: site === 'cn' ? 'wallet_pay_provider' : 'card_provider', amount: 50 };
  const pay = () =>
    consoleBody<{ id: string }>(urls.console!, 'POST', '/api/billing/payments', { token, json, status: 201 });
  const { id } = await pay();
  await fetch(`${sandbox.payments}/orders/${id}/pay`, { method: 'POST' });
  await waitFor(async () => {
    const path = `/api/billing/payments/${id}`;
    return (await consoleBody<{ status: string }>(urls.console!, 'GET', path, { token })).status === 'paid';
  });
  const { admin } = accounts;
  await consoleBody(urls.console!, 'POST', `/api/admin/billing/payments/${id}/refund`, {
    token: await signIn({ identifier: admin.identifier, password: admin.password }),
    json: { amount: 5 },
    status: 201,
  });
  await pay();
}
