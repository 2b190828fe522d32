import {
  hasPriceOf,
  INPUT_METERS,
  lineageOf,
  type Meter,
  type MeterCounts,
  OUTPUT_METERS,
  outputTokensOf,
  type Price,
  UNITS_OF_METER,
} from '@inference/metering';
import { type Metered } from '../proxy/usage/metered-usage';
import { type TaskAnswer, type TaskRequest } from './task';

/** What the gateway counts as exactly as a server would. */
const COUNTED_EXACTLY = new Set<Meter>(['image', 'character']);

/**
 * Returns the usage that the upstream reported. What it left out and has a price is counted by the gateway itself; of tokens and seconds
 * that is an estimate.
 * @param answer null if none arrived: then the request alone is counted
 */
export function taskUsage(
  prices: readonly Price[],
  request: TaskRequest,
  answer: TaskAnswer | null,
): Metered {
  const reported = answer?.reported ?? null;
  const { input = null, output = null, others = {} } = reported ?? {};
  const hasOutput = output !== null && (outputTokensOf(output) > 0 || !answer?.produced.output);
  const isReported = (meter: Meter) => {
    if (INPUT_METERS.includes(meter)) return input !== null;
    return OUTPUT_METERS.includes(meter) ? hasOutput : others[meter] !== undefined;
  };
  const isPriced = (meter: Meter) =>
    hasPriceOf(
      prices,
      lineageOf(meter).flatMap((one) => UNITS_OF_METER[one]),
    );
  const own: MeterCounts = { ...request.asked(), ...answer?.produced };
  const added = (Object.entries(own) as [Meter, number][]).filter(
    ([meter, count]) => count > 0 && !isReported(meter) && isPriced(meter),
  );
  return {
    usage: {
      counts: { request: 1, ...others, ...input, ...output, ...(Object.fromEntries(added) as MeterCounts) },
      serviceTier: reported?.serviceTier ?? null,
    },
    estimated: added.some(([meter]) => !COUNTED_EXACTLY.has(meter)),
    fault: reported?.fault ?? null,
  };
}
