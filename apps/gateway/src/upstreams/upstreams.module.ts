import { Module } from '@nestjs/common';
import { UpstreamsService } from './upstreams.service';

/** Calls the model servers. */
@Module({ providers: [UpstreamsService], exports: [UpstreamsService] })
export class UpstreamsModule {}
