export { consoleEnvironment, newCredentials } from './credentials/credentials';
export { SandboxPayments, type SandboxPaymentsOptions } from './sandbox-payments';
export { type SandboxDelivery, type SandboxOrder } from './orders/order-view';
