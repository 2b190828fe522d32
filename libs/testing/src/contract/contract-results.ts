import { type SentResponse } from './response-checker';

const KEY = Symbol.for('contract results');

export interface ContractResults {
  /** Number of responses that were compared with a document. */
  checked: number;
  /** What was not as documented, since the last test. */
  faults: string[];
}

/** The results of the running test file. */
export function contractResults(): ContractResults {
  const holder = globalThis as { [KEY]?: ContractResults };
  return (holder[KEY] ??= { checked: 0, faults: [] });
}

/** Takes the faults since the last test. A test that expects one calls it, so that it does not fail. */
export const takeContractFaults = (): string[] => contractResults().faults.splice(0);
/** Counts a response, and keeps what is not as documented. */
export function recordComparison(service: string, response: SentResponse, faults: string[]): void {
  contractResults().checked++;
  recordFaults(service, response, faults);
}

export function recordFaults(service: string, response: SentResponse, faults: string[]): void {
  const { method, route, status } = response;
  contractResults().faults.push(
    ...faults.map((fault) => `${service}: ${method} ${route} (${status}): ${fault}`),
  );
}
