import { Module } from '@nestjs/common';
import { AnswerMemory } from './answer-memory';
import { ServingDirectory } from './directory.service';
import { LimitedUpstreams } from './upstream-limits';
import { UnchargedCosts } from './uncharged-costs.service';
import { UpstreamMetrics } from './upstream-metrics';
import { UpstreamProbes } from './upstream-probes.service';
import { UpstreamsService } from './upstreams.service';

/** Knows the models and calls their servers. */
@Module({
  providers: [
    AnswerMemory,
    LimitedUpstreams,
    ServingDirectory,
    UnchargedCosts,
    UpstreamMetrics,
    UpstreamProbes,
    UpstreamsService,
  ],
  exports: [AnswerMemory, ServingDirectory, UnchargedCosts, UpstreamMetrics, UpstreamsService],
})
export class UpstreamsModule {}
