import { Module } from '@nestjs/common';
import { IdempotencyModule } from '../idempotency/idempotency.module';
import { ProxyModule } from '../proxy/proxy.module';
import { UnservedCallsModule } from '../unserved-calls/unserved-calls.module';
import { UpstreamsModule } from '../upstreams/upstreams.module';
import { AudioController } from './audio.controller';
import { TaskProxy } from './task-proxy.service';
import { TasksController } from './tasks.controller';

/** Endpoints of models with one task: rerank, images, audio and moderations. */
@Module({
  imports: [IdempotencyModule, ProxyModule, UnservedCallsModule, UpstreamsModule],
  controllers: [TasksController, AudioController],
  providers: [TaskProxy],
})
export class TasksModule {}
