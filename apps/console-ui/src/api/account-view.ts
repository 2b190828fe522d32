import { keepOwn, readOwn } from './account-storage';
import { ApiError } from './api-error';

/** The customer whose console this tab shows to a person of the staff, read only. */
export interface AccountView {
  id: string;
  accountId: string;
  email: string;
  expiresAt: string;
}

/** Names the view to the console, beside the session of the staff. */
const VIEW_HEADER = 'X-Account-View';

const NAME = 'view';
const ENDED = 'view_ended';
const READING = ['GET', 'HEAD'];

/** Undefined where the tab shows the account that is signed in. It is kept for the tab: a reload goes on with it. */
export function readAccountView(): AccountView | undefined {
  const text = readOwn('tab', NAME);
  return text === null ? undefined : (JSON.parse(text) as AccountView);
}

/** What a call gets that must not be made, or not in the place of the customer. */
const refusal = () =>
  new ApiError({ status: 403, detail: 'a view of an account is read only', code: 'read_only_view' });

/** Throws in a view: what calls a service other than the console, or sends files, acts for the staff itself. */
export function refuseInView(): void {
  if (readAccountView()) throw refusal();
}

/** Marks a call of the console as one in the place of the customer. Throws for what could change something. */
export function sendInView({ method, headers }: Request): void {
  const view = readAccountView();
  if (!view) return;
  if (!READING.includes(method)) throw refusal();
  headers.set(VIEW_HEADER, view.id);
}

/** Shows the console of a customer in this tab. The page is loaded anew, so that nothing of the staff stays in it. */
export function enterAccountView(view: AccountView): void {
  if (!keepOwn('tab', NAME, JSON.stringify(view))) throw new Error('The browser keeps nothing for this tab.');
  window.location.assign('/overview');
}

/** Goes back to the page of the account, with nothing of the customer's own pages in it. */
export function leaveAccountView(): void {
  const view = readAccountView();
  if (!view) return;
  keepOwn('tab', NAME, undefined);
  window.location.assign(`/admin/accounts/${view.accountId}`);
}

/** Leaves a view of which the console says that it has ended. */
export function leaveIfEnded({ code }: ApiError): void {
  if (code === ENDED) leaveAccountView();
}
