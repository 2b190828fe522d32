import { type Database } from '@inference/database';
import { type ModelLimits } from '@inference/rate-limits';
import { Logger } from '@nestjs/common';
import { type LimitName } from './limit-headers';
import { type LimitsConfig } from './limits.config';
import { type LimitedUnit, noteUses, type PartUse } from './limits.repository';
import { type Subject } from './rate-slices';

/** As in the function `limits.note_use`. */
const PARTS_OF_A_WINDOW = 12;

/**
 * What is used of limits, for their history: counted in memory, and told to the database by one statement for all subjects in each part
 * (twelfth) of the window. What a failure keeps from it is lost: to tell it again could count it twice.
 */
export class LimitUses {
  private readonly logger = new Logger(LimitUses.name);
  private readonly parts = new Map<number, Map<string, PartUse>>();
  private readonly partMillis: number;
  /** From the clock of `performance.now()` to that of the database, which is asked first of all. */
  private offsetMillis = Date.now() - performance.now();
  private isOffsetKnown = false;

  constructor(
    private readonly database: Database,
    private readonly config: LimitsConfig,
  ) {
    this.partMillis = (config.windowSeconds * 1000) / PARTS_OF_A_WINDOW;
  }

  /** The time of the database in milliseconds since 1970, as far as it is known: the clock of the host may be wrong. */
  get databaseMillis(): number {
    return performance.now() + this.offsetMillis;
  }

  /** Of a subject now. */
  of(subject: Subject, limits: ModelLimits): PartUse {
    const part = this.partNow;
    let uses = this.parts.get(part);
    if (!uses) this.parts.set(part, (uses = new Map<string, PartUse>()));
    let use = uses.get(subject.id);
    if (!use)
      uses.set(
        subject.id,
        (use = {
          subjectId: subject.id,
          accountId: subject.accountId,
          limits,
          requests: 0,
          tokens: 0,
          running: 0,
          refusals: {},
        }),
      );
    use.limits = limits;
    return use;
  }

  refused(subject: Subject, limits: ModelLimits, name: LimitName): void {
    const { refusals } = this.of(subject, limits);
    const unit = name.slice(name.indexOf('_') + 1) as LimitedUnit;
    refusals[unit] = (refusals[unit] ?? 0) + 1;
  }

  /** Tells what was used until a whole part ago, so that a request that is cancelled meanwhile does not count; at the end all. */
  async report(isEnd = false): Promise<void> {
    const before = isEnd ? Infinity : this.partNow - 1;
    const due = [...this.parts].filter(([part]) => part < before);
    if (due.length === 0 && this.isOffsetKnown) return;
    for (const [part] of due) this.parts.delete(part);
    const uses = due.flatMap(([part, ofPart]) => [...ofPart.values()].map((use) => ({ part, ...use })));
    const askedAtMillis = performance.now();
    try {
      const databaseMillis = await noteUses(this.database, this.config.windowSeconds, uses);
      this.offsetMillis = databaseMillis - (askedAtMillis + performance.now()) / 2;
      this.isOffsetKnown = true;
    } catch (error) {
      this.logger.warn(`The history of limits misses ${uses.length} entries: ${(error as Error).message}`);
    }
  }

  private get partNow(): number {
    return Math.floor(this.databaseMillis / this.partMillis);
  }
}
