import Stripe from 'stripe';

export interface StripeOrder {
  id: string;
  description?: string;
  returnUrl?: string;
}

/** Opens an order of USD 12.34 through Stripe's API. Resolves with the URL of its page. */
export async function openStripeOrder(
  sandboxUrl: string,
  secretKey: string,
  { id, description = 'Top-up', returnUrl = 'http://merchant.test/billing?a=1&b=2' }: StripeOrder,
): Promise<string> {
  const { hostname: host, port } = new URL(sandboxUrl);
  const stripe = new Stripe(secretKey, { host, port, protocol: 'http', maxNetworkRetries: 0 });
  const { url } = await stripe.checkout.sessions.create({
    mode: 'payment',
    client_reference_id: id,
    success_url: returnUrl,
    line_items: [
      {
        quantity: 1,
        price_data: { currency: 'usd', unit_amount: 1_234, product_data: { name: description } },
      },
    ],
  });
  return url!;
}
