import { type Unit, UNITS } from './account-shares';
import { type SharedLimits, type UpstreamLoad } from './chooser';

/** Limits of an upstream that only one process calls. */
export class OwnLimits implements SharedLimits {
  constructor(
    private readonly load: UpstreamLoad,
    private readonly limits: Partial<Record<Unit, number>>,
  ) {}

  isFull(now: number): boolean {
    return UNITS.some((unit) => this.load.used(unit, now) >= (this.limits[unit] ?? Infinity));
  }

  roomFor(unit: Unit): number | null {
    return this.limits[unit] ?? null;
  }

  endedUncounted(): void {}
}
