import { Module } from '@nestjs/common';
import { RequestsController } from './requests.controller';
import { RequestsService } from './requests.service';

/** The request log: every served call of an account with its cost. */
@Module({
  controllers: [RequestsController],
  providers: [RequestsService],
})
export class RequestsModule {}
