import { rememberAnswer, waitFor } from '@inference/testing';

interface DocumentState {
  id: string;
  status: 'queued' | 'processing' | 'ready' | 'failed';
}

/** A client of one replica of the memo service, with the session or the workspace key of a member. */
export class MemoCaller {
  constructor(
    private readonly url: string,
    private readonly credential: Record<string, string>,
  ) {}

  /** Sends JSON if there is a body. */
  call(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
    return fetch(`${this.url}/v1/workspaces${path}`, {
      method,
      headers: { ...this.credential, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  }

  /** The body of an answer with the expected status. */
  async json<T>(method: string, path: string, body?: unknown, status = 200): Promise<T> {
    const response = await this.call(method, path, body);
    const text = await response.text();
    if (response.status !== status) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    const value = (text ? JSON.parse(text) : undefined) as T;
    rememberAnswer(response.headers, value);
    return value;
  }

  async newWorkspace(): Promise<string> {
    return (await this.json<{ id: string }>('POST', '', { name: 'Handbook' }, 201)).id;
  }

  /** Becomes a member. */
  async accept(invitationId: string): Promise<void> {
    const url = `${this.url}/v1/invitations/${invitationId}/accept`;
    const { status } = await fetch(url, { method: 'POST', headers: this.credential });
    if (status !== 200) throw new Error(`The invitation could not be accepted: ${status}`);
  }

  /** The secret key itself, of a viewer. */
  async newKey(workspaceId: string): Promise<string> {
    return (await this.json<{ key: string }>('POST', `/${workspaceId}/keys`, { name: 'reader' }, 201)).key;
  }

  /** The id of the document, once it is found. */
  async addDocument(workspaceId: string, document: { title: string; text: string }): Promise<string> {
    const path = `/${workspaceId}/documents`;
    const { id } = await this.json<DocumentState>('POST', path, document, 201);
    await waitFor(async () => (await this.json<DocumentState>('GET', `${path}/${id}`)).status === 'ready');
    return id;
  }

  chat(workspaceId: string, query: string, signal?: AbortSignal): Promise<Response> {
    return this.call('POST', `/${workspaceId}/chat`, { query }, signal);
  }
}
