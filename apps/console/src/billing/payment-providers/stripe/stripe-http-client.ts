import Stripe from 'stripe';

type HttpClient = ReturnType<typeof Stripe.createNodeHttpClient>;

/**
 * The library's client, except that a JSON body that is not an object is rejected here. The library throws on such a body
 * outside of the call's promise, so the call would never end.
 */
export function createStripeHttpClient(): HttpClient {
  const client = Stripe.createNodeHttpClient();
  return {
    getClientName: () => client.getClientName(),
    makeRequest: async (...request) => {
      const response = await client.makeRequest(...request);
      const read = response.toJSON.bind(response);
      response.toJSON = async () => {
        const body: unknown = await read();
        if (body === null || typeof body !== 'object') throw new SyntaxError('It is not an object.');
        return body;
      };
      return response;
    },
  };
}
