import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { AGENT_CONFIG, type AgentConfig } from './config';
import { TurnFeeds } from './frames/turn-feeds';
import { Replica } from './turns/replica';
import { TurnQueue } from './turns/turn-queue';
import { TurnRunner } from './turns/turn-runner';

const POLL_MILLIS = 20;
/** For the records of how turns ended. */
const RECORDS_MILLIS = 5_000;
/** For readers to get the last frame of a turn that has ended. */
const LAST_WORDS_MILLIS = 1_000;

/**
 * How a process stops: it takes no more turns; readers of turns that run elsewhere are sent there at once; the turns that
 * run here get the time to end, with their readers, and have failed when it is over. Readers resume at another replica.
 */
@Injectable()
export class Handover implements BeforeApplicationShutdown {
  constructor(
    @Inject(AGENT_CONFIG) private readonly config: AgentConfig,
    private readonly queue: TurnQueue,
    private readonly feeds: TurnFeeds,
    private readonly runner: TurnRunner,
    private readonly replica: Replica,
  ) {}

  async beforeApplicationShutdown(): Promise<void> {
    const endsAt = performance.now() + this.config.SHUTDOWN_GRACE_SECONDS * 1000;
    this.feeds.handOver();
    const queueEnd = this.queue.stop();
    while (!this.runner.isIdle && performance.now() < endsAt) await sleep(POLL_MILLIS);
    // Should the database not answer, others end the turns of this process.
    await Promise.race([
      Promise.all([queueEnd, this.runner.interruptAll()]),
      sleep(RECORDS_MILLIS, undefined, { ref: false }),
    ]);
    this.runner.loseAll();
    const lastWords = performance.now() + LAST_WORDS_MILLIS;
    while (this.feeds.isFollowed && performance.now() < lastWords) await sleep(POLL_MILLIS);
    this.feeds.endAll();
    setTimeout(() => this.feeds.dropAll(), LAST_WORDS_MILLIS).unref();
    await Promise.race([this.replica.leave(), sleep(RECORDS_MILLIS, undefined, { ref: false })]);
  }
}
