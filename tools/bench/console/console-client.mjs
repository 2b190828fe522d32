import { Client } from 'undici';

/** Of all accounts. */
const PASSWORD = 'the password of every account';
export const LARGE_EMAIL = 'large-account@example.com';

/** @typedef {{ status: number, text: string }} Answer */

/** One connection to a console, which is kept open. */
export class ConsoleClient {
  #connection;
  #token;

  /** @param {string} url @param {string} [token] of the session with which it asks */
  constructor(url, token = '') {
    this.#connection = new Client(url);
    this.#token = token;
  }

  /** Creates the large account. @returns {Promise<string>} its id */
  async register() {
    const { status, text } = await this.#post(
      '/api/auth/register',
      { email: LARGE_EMAIL, password: PASSWORD },
      '127.0.0.1',
    );
    if (status !== 200 && status !== 201) throw new Error(`Registration: ${status} ${text}`);
    return JSON.parse(text).user.id;
  }

  /** @param {string} email @param {string} address of the client @returns {Promise<Answer>} */
  logIn(email, address) {
    return this.#post('/api/auth/login', { identifier: email, password: PASSWORD }, address);
  }

  /** Signs in and asks with that session from now on. @param {string} email @returns {Promise<string>} the token */
  async signIn(email) {
    const { status, text } = await this.logIn(email, '127.0.0.1');
    if (status !== 200) throw new Error(`Sign-in of ${email}: ${status} ${text}`);
    this.#token = JSON.parse(text).token;
    return this.#token;
  }

  /** @param {string} path @param {string} [token] of another session @returns {Promise<Answer>} */
  get(path, token = this.#token) {
    return this.#send({
      ...{ method: 'GET', path },
      headers: token === '' ? {} : { authorization: `Bearer ${token}` },
    });
  }

  /** @param {string} path @returns {Promise<any>} */
  async getJson(path) {
    const { status, text } = await this.get(path);
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`);
    return JSON.parse(text);
  }

  /** @param {string} path @param {object} body @param {string} address */
  #post(path, body, address) {
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': address };
    return this.#send({ method: 'POST', path, headers, body: JSON.stringify(body) });
  }

  /** @param {import('undici').Dispatcher.RequestOptions} request @returns {Promise<Answer>} */
  async #send(request) {
    const { statusCode, body } = await this.#connection.request(request);
    return { status: statusCode, text: await body.text() };
  }

  close() {
    return this.#connection.close();
  }
}
