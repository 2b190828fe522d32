import { type Platform } from '../../deployment/site-runs';
import { consoleBody } from '../../site/console-client';

/** Gives the demo account what its pages show beyond the first start: a call, a paid payment and an open one. */
export async function seedContent({ site, urls, accounts, sandbox }: Platform): Promise<void> {
  const { identifier, password, apiKey } = accounts.demo;
  const call = await fetch(`${urls.gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ model: 'sandbox-chat', messages: [{ role: 'user', content: 'Hello' }] }),
  });
  if (!call.ok) throw new Error(`The call answered ${call.status}: ${await call.text()}`);
  await call.text();
  const { token } = await consoleBody<{ token: string }>(urls.console!, 'POST', '/api/auth/login', {
    json: { identifier, password },
  });
  const json = { provider: site === 'cn' ? 'wallet_pay_provider' : 'card_provider', amount: 50 };
  const pay = () =>
    consoleBody<{ id: string }>(urls.console!, 'POST', '/api/billing/payments', { token, json, status: 201 });
  const { id } = await pay();
  await fetch(`${sandbox.payments}/orders/${id}/pay`, { method: 'POST' });
  await pay();
}
