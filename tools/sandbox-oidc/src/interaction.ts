import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type InteractionResults, type Provider } from 'oidc-provider';
import { type Accounts } from './accounts';
import { signInPage } from './sign-in-page';

const HTML = { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' };
const MAX_EMAIL_CHARS = 254;

/** `GET` shows the page; `POST` takes `email`, `verified` (`yes` or absent) and `decision` (`approve` or `deny`). */
export async function interact(
  provider: Provider,
  people: Accounts,
  request: IncomingMessage,
  response: ServerResponse,
  form: URLSearchParams,
): Promise<void> {
  const { uid, params, grantId } = await provider.interactionDetails(request, response);
  const clientId = String(params.client_id);
  const scope = String(params.scope ?? '');
  if (request.method === 'GET') {
    response.writeHead(200, HTML).end(signInPage(`/interaction/${uid}`, clientId, scope));
    return;
  }
  if (form.get('decision') === 'deny') {
    await provider.interactionFinished(request, response, { error: 'access_denied' });
    return;
  }
  const email = (form.get('email') ?? '').trim().toLowerCase();
  if (!email.includes('@') || email.length > MAX_EMAIL_CHARS) {
    response.writeHead(400, HTML).end(signInPage(`/interaction/${uid}`, clientId, scope));
    return;
  }
  const accountId = people.add({ email, verified: form.get('verified') === 'yes' });
  const grant =
    (grantId && (await provider.Grant.find(grantId))) || new provider.Grant({ accountId, clientId });
  grant.addOIDCScope(scope);
  const result: InteractionResults = { login: { accountId }, consent: { grantId: await grant.save() } };
  await provider.interactionFinished(request, response, result);
}
