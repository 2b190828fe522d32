import { type Schemas } from '../../../api/console-api';
import { type Figure } from '../../../figures/figure';

export type Proof = Omit<Schemas['ProofResponse'], FigureName | NullableName> &
  Record<FigureName, Figure> &
  Record<NullableName, Figure | null>;
type FigureName = 'usage' | 'transactions' | 'transactions_difference' | 'usage_usd';
type NullableName = 'router_cost_usd' | 'router_cost_difference_usd';

/** `partly`: what could be compared agrees, but the router-cost service did not answer. `open`: no hour is closed yet. */
export type ProofState = 'agrees' | 'differs' | 'partly' | 'open';

export function proofStateOf(proof: Proof): ProofState {
  const { transactions_difference: inLedger, router_cost_difference_usd: inReport } = proof;
  if (!inLedger.isZero || inReport?.isZero === false) return 'differs';
  if (proof.from === null) return 'open';
  return inReport === null ? 'partly' : 'agrees';
}
