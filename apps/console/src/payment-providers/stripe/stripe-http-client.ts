import Stripe from 'stripe';

type HttpClient = ReturnType<typeof Stripe.createNodeHttpClient>;

/**
 * The library's own client, except that a body of JSON that is no object counts as unreadable: the library stumbles
 * over it where nobody can catch that, and the call would never end.
 */
export function newHttpClient(): HttpClient {
  const client = Stripe.createNodeHttpClient();
  return {
    getClientName: () => client.getClientName(),
    makeRequest: async (...request) => {
      const response = await client.makeRequest(...request);
      const read = response.toJSON.bind(response);
      response.toJSON = async () => {
        const body: unknown = await read();
        if (body === null || typeof body !== 'object') throw new SyntaxError('It is no object.');
        return body;
      };
      return response;
    },
  };
}
