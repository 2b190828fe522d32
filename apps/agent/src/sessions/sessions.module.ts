import { Module } from '@nestjs/common';
import { SessionsController } from './sessions.controller';
import { SessionsService } from './sessions.service';

/** Conversations with a model. */
@Module({ controllers: [SessionsController], providers: [SessionsService] })
export class SessionsModule {}
